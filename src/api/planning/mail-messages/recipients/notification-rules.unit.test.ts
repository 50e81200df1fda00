import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Setting } from '#api/planning/notification-settings/index.ts';
import type { MailReason } from '#database/tables/mail.ts';
import { EMAIL_EVENTS, type EmailEvent, NOTIFICATION_LEVELS } from '#database/tables/notification-settings.ts';
import { type Candidate, type Dropped, effectiveSetting, type Involvement, judge } from './notification-rules.ts';

const INVOLVEMENTS: readonly Involvement[] = ['participating', 'mention', 'watch', 'custom', 'subscription'];

const candidate = (involvement: Involvement, setting: Setting, others: Partial<Candidate> = {}): Candidate => ({
  involvements: new Set([involvement]),
  choices: [setting],
  reachable: true,
  mayRead: true,
  isActor: false,
  unsubscribed: false,
  reasons: new Set(),
  ...others,
});

const told = (event: EmailEvent, some: Candidate, mailsOff = false) => judge({ event, mailsOff }, some);
const isTold = (...asked: Parameters<typeof told>) => 'reason' in told(...asked);

/** Of each level: who is kept whatever the event is, and which events keep anybody. `!`: which keep nobody. */
const TABLE: Readonly<
  Record<string, { readonly kept: readonly Involvement[]; readonly events?: readonly EmailEvent[] }>
> = {
  disabled: { kept: ['subscription'] },
  mention: { kept: ['mention', 'subscription'] },
  participating: {
    kept: ['participating', 'mention', 'subscription'],
    events: ['failed_pipeline', 'fixed_pipeline', 'moved_project'],
  },
  global: {
    kept: ['participating', 'mention', 'subscription'],
    events: ['failed_pipeline', 'fixed_pipeline', 'moved_project'],
  },
  custom: {
    kept: ['participating', 'mention', 'subscription'],
    events: ['failed_pipeline', 'fixed_pipeline', 'moved_project'],
  },
};

test('each level keeps of each kind of candidates what the table says, for every event', () => {
  for (const level of NOTIFICATION_LEVELS.filter((one) => one !== 'watch')) {
    const { kept, events = [] } = TABLE[level]!;
    for (const involvement of INVOLVEMENTS) {
      for (const event of EMAIL_EVENTS) {
        const wanted = kept.includes(involvement) || events.includes(event);
        assert.equal(isTold(event, candidate(involvement, { level })), wanted, `${level} ${involvement} ${event}`);
      }
    }
  }
});

test('whoever watches hears of everything but four events', () => {
  const not = ['push_to_merge_request', 'issue_due', 'success_pipeline', 'approver'];
  for (const involvement of INVOLVEMENTS) {
    for (const event of EMAIL_EVENTS) {
      const some = candidate(involvement, { level: 'watch' });
      assert.equal(isTold(event, some), !not.includes(event), `${involvement} ${event}`);
    }
  }
});

test('with custom an event counts that is chosen, and one that is not', () => {
  const audience = (setting: Omit<Setting, 'level'>) => candidate('custom', { level: 'custom', ...setting });
  for (const event of EMAIL_EVENTS) {
    assert.ok(isTold(event, audience({ [event]: true })), event);
    const left = isTold(event, audience({ [event]: false, success_pipeline: false }));
    assert.equal(left, false, event);
  }
  assert.ok(isTold('fixed_pipeline', audience({ fixed_pipeline: false, success_pipeline: true })));
  assert.ok(isTold('moved_project', audience({ moved_project: null })), 'at its default');
  assert.ok(isTold('new_note', candidate('participating', { level: 'custom', new_note: false })), 'he takes part');
});

test('the nearest setting that is not global counts, events and all', () => {
  const choices = [{ level: 'global', new_note: true }, { level: 'custom' }, { level: 'watch' }] as const;
  assert.equal(effectiveSetting(choices), choices[1]);
  assert.equal(effectiveSetting([{ level: 'global' }]).level, 'participating');
  assert.equal(effectiveSetting([]).level, 'participating');
  assert.equal(isTold('new_note', candidate('custom', choices[0], { choices })), false);
});

test('the first rule that leaves somebody out says so', () => {
  const all = { reachable: false, mayRead: false, isActor: true, unsubscribed: true };
  const disabled = { level: 'disabled' } as const;
  const rows: [Partial<Candidate>, boolean, Dropped][] = [
    [all, true, 'unreachable'],
    [{ ...all, reachable: true }, true, 'unreadable'],
    [{ ...all, reachable: true, mayRead: true }, true, 'mailsOff'],
    [{ ...all, reachable: true, mayRead: true }, false, 'actor'],
    [{ unsubscribed: true }, false, 'unsubscribed'],
    [{}, false, 'level'],
  ];
  for (const [others, mailsOff, dropped] of rows) {
    const some = candidate('participating', disabled, others);
    assert.deepEqual(told('new_note', some, mailsOff), { dropped });
  }
});

test('who has unsubscribed is still mentioned, and told that a day has come although he acted', () => {
  assert.ok(isTold('new_note', candidate('mention', { level: 'mention' }, { unsubscribed: true })));
  assert.ok(isTold('issue_due', candidate('participating', { level: 'participating' }, { isActor: true })));
  assert.ok(isTold('new_note', candidate('subscription', { level: 'disabled' })), 'disabled, but subscribed');
});

test('of all reasons the strongest is told', () => {
  const order: readonly MailReason[] = ['assigned', 'review_requested', 'mentioned', 'subscribed'];
  for (const [index, reason] of order.entries()) {
    const reasons = new Set(order.slice(index));
    const some = candidate('subscription', { level: 'participating' }, { reasons });
    assert.deepEqual(told('new_note', some), { reason });
  }
  assert.deepEqual(told('new_note', candidate('participating', { level: 'watch' })), { reason: null });
});
