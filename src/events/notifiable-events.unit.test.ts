import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActivityEvent } from '#activity/index.ts';
import { toNotifiableActivityEvent, toNotifiableStateEvent } from './notifiable-events.ts';

const deed = (event: object) => toNotifiableActivityEvent({ projectId: 1, authorId: 2, ...event } as ActivityEvent);

test('activity on issues and merge requests maps to the mail events that users choose', () => {
  const rows = [
    ['created', 'Issue', 'new_issue'],
    ['closed', 'Issue', 'close_issue'],
    ['reopened', 'Issue', 'reopen_issue'],
    ['created', 'MergeRequest', 'new_merge_request'],
    ['closed', 'MergeRequest', 'close_merge_request'],
    ['reopened', 'MergeRequest', 'reopen_merge_request'],
    ['merged', 'MergeRequest', 'merge_merge_request'],
  ] as const;
  for (const [action, type, event] of rows) {
    assert.deepEqual(deed({ action, target: { type, id: 7, iid: 1 } }), { event, about: { type, id: 7 } });
  }
});

test('a comment maps to new_note, also in a thread or on a diff', () => {
  for (const type of ['Note', 'DiscussionNote', 'DiffNote']) {
    assert.deepEqual(deed({ action: 'commented', target: { type, id: 9 } }), {
      event: 'new_note',
      about: { type: 'Note', id: 9 },
    });
  }
});

test('other activity maps to no mail event', () => {
  const target = { type: 'Milestone', id: 7, iid: 1 };
  assert.equal(deed({ action: 'created', target }), null);
  assert.equal(deed({ action: 'destroyed', target: { type: 'Milestone' } }), null);
  assert.equal(deed({ action: 'approved', target: { type: 'MergeRequest', id: 7, iid: 1 } }), null);
  for (const action of ['created', 'joined', 'left', 'imported'])
    assert.equal(deed({ action, target: { type: 'Project' } }), null);
});

test('state changes of epics, which have no activity, map to mail events', () => {
  const stateOf = { type: 'Epic', id: 3 } as const;
  assert.deepEqual(toNotifiableStateEvent({ stateOf, state: 'closed' }), {
    event: 'close_issue',
    about: stateOf,
  });
  assert.deepEqual(toNotifiableStateEvent({ stateOf, state: 'opened' }), {
    event: 'reopen_issue',
    about: stateOf,
  });
  assert.equal(toNotifiableStateEvent({ stateOf: { type: 'Issue', id: 3 }, state: 'closed' }), null);
});
