import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserNotificationSetting } from '#api/planning/notification-settings/index.ts';
import { EMAIL_EVENTS, type EmailEvent, type MailReason, NOTIFICATION_LEVELS } from '#database/schema.ts';
import {
  type DropReason,
  decideNotification,
  findEffectiveSetting,
  type Involvement,
  type NotificationCandidate,
} from './notification-rules.ts';

const INVOLVEMENTS: readonly Involvement[] = ['participating', 'mention', 'watch', 'custom', 'subscription'];

const candidate = (
  involvement: Involvement,
  setting: UserNotificationSetting,
  others: Partial<NotificationCandidate> = {},
): NotificationCandidate => ({
  involvements: new Set([involvement]),
  settings: [setting],
  isReachable: true,
  mayRead: true,
  isActor: false,
  isUnsubscribed: false,
  reasons: new Set(),
  ...others,
});

const decide = (event: EmailEvent, some: NotificationCandidate, mailsDisabled = false) =>
  decideNotification({ event, mailsDisabled }, some);
const isNotified = (...input: Parameters<typeof decide>) => 'reason' in decide(...input);

/** Per level: the involvements that are notified of each event, and the events of which each involvement is notified. */
const TABLE: Readonly<
  Record<string, { readonly involvements: readonly Involvement[]; readonly events?: readonly EmailEvent[] }>
> = {
  disabled: { involvements: ['subscription'] },
  mention: { involvements: ['mention', 'subscription'] },
  participating: {
    involvements: ['participating', 'mention', 'subscription'],
    events: ['failed_pipeline', 'fixed_pipeline', 'moved_project'],
  },
  global: {
    involvements: ['participating', 'mention', 'subscription'],
    events: ['failed_pipeline', 'fixed_pipeline', 'moved_project'],
  },
  custom: {
    involvements: ['participating', 'mention', 'subscription'],
    events: ['failed_pipeline', 'fixed_pipeline', 'moved_project'],
  },
};

test('follows the table for each level, involvement and event', () => {
  for (const level of NOTIFICATION_LEVELS.filter((one) => one !== 'watch')) {
    const { involvements, events = [] } = TABLE[level]!;
    for (const involvement of INVOLVEMENTS) {
      for (const event of EMAIL_EVENTS) {
        const expected = involvements.includes(involvement) || events.includes(event);
        assert.equal(
          isNotified(event, candidate(involvement, { level })),
          expected,
          `${level} ${involvement} ${event}`,
        );
      }
    }
  }
});

test('notifies watchers of all but four events', () => {
  const not = ['push_to_merge_request', 'issue_due', 'success_pipeline', 'approver'];
  for (const involvement of INVOLVEMENTS) {
    for (const event of EMAIL_EVENTS) {
      const some = candidate(involvement, { level: 'watch' });
      assert.equal(isNotified(event, some), !not.includes(event), `${involvement} ${event}`);
    }
  }
});

test('follows the chosen events at the level custom', () => {
  const audience = (setting: Omit<UserNotificationSetting, 'level'>) =>
    candidate('custom', { level: 'custom', ...setting });
  for (const event of EMAIL_EVENTS) {
    assert.ok(isNotified(event, audience({ [event]: true })), event);
    const left = isNotified(event, audience({ [event]: false, success_pipeline: false }));
    assert.equal(left, false, event);
  }
  assert.ok(isNotified('fixed_pipeline', audience({ fixed_pipeline: false, success_pipeline: true })));
  assert.ok(isNotified('moved_project', audience({ moved_project: null })), 'null uses the default');
  assert.ok(
    isNotified('new_note', candidate('participating', { level: 'custom', new_note: false })),
    'participants are notified of all events',
  );
});

test('uses the nearest setting that is not global, with its events', () => {
  const choices = [{ level: 'global', new_note: true }, { level: 'custom' }, { level: 'watch' }] as const;
  assert.equal(findEffectiveSetting(choices), choices[1]);
  assert.equal(findEffectiveSetting([{ level: 'global' }]).level, 'participating');
  assert.equal(findEffectiveSetting([]).level, 'participating');
  assert.equal(isNotified('new_note', candidate('custom', choices[0], { settings: choices })), false);
});

test('returns the first rule that excludes a candidate', () => {
  const all = { isReachable: false, mayRead: false, isActor: true, isUnsubscribed: true };
  const disabled = { level: 'disabled' } as const;
  const rows: [Partial<NotificationCandidate>, boolean, DropReason][] = [
    [all, true, 'unreachable'],
    [{ ...all, isReachable: true }, true, 'unreadable'],
    [{ ...all, isReachable: true, mayRead: true }, true, 'mailsDisabled'],
    [{ ...all, isReachable: true, mayRead: true }, false, 'actor'],
    [{ isUnsubscribed: true }, false, 'unsubscribed'],
    [{}, false, 'level'],
  ];
  for (const [others, mailsDisabled, dropped] of rows) {
    const some = candidate('participating', disabled, others);
    assert.deepEqual(decide('new_note', some, mailsDisabled), { dropReason: dropped });
  }
});

test('notifies unsubscribed users of mentions, and actors of due dates', () => {
  assert.ok(isNotified('new_note', candidate('mention', { level: 'mention' }, { isUnsubscribed: true })));
  assert.ok(isNotified('issue_due', candidate('participating', { level: 'participating' }, { isActor: true })));
  assert.ok(isNotified('new_note', candidate('subscription', { level: 'disabled' })), 'disabled, but subscribed');
});

test('returns the reason with the highest priority', () => {
  const order: readonly MailReason[] = ['assigned', 'review_requested', 'mentioned', 'subscribed'];
  for (const [index, reason] of order.entries()) {
    const reasons = new Set(order.slice(index));
    const some = candidate('subscription', { level: 'participating' }, { reasons });
    assert.deepEqual(decide('new_note', some), { reason });
  }
  assert.deepEqual(decide('new_note', candidate('participating', { level: 'watch' })), { reason: null });
});
