import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActivityEvent } from '#activity/index.ts';
import { occurrenceOfDeed, occurrenceOfStep } from './mail-occurrences.ts';

const deed = (event: object) => occurrenceOfDeed({ projectId: 1, authorId: 2, ...event } as ActivityEvent);

test('what is done with issues and merge requests is news under the name that users choose it by', () => {
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

test('a comment is news of itself, in a thread or on a line of a diff too', () => {
  for (const type of ['Note', 'DiscussionNote', 'DiffNote']) {
    assert.deepEqual(deed({ action: 'commented', target: { type, id: 9 } }), {
      event: 'new_note',
      about: { type: 'Note', id: 9 },
    });
  }
});

test('what nobody chooses to be told of is no news', () => {
  const target = { type: 'Milestone', id: 7, iid: 1 };
  assert.equal(deed({ action: 'created', target }), null);
  assert.equal(deed({ action: 'destroyed', target: { type: 'Milestone' } }), null);
  assert.equal(deed({ action: 'approved', target: { type: 'MergeRequest', id: 7, iid: 1 } }), null);
  for (const action of ['created', 'joined', 'left', 'imported'])
    assert.equal(deed({ action, target: { type: 'Project' } }), null);
});

test('of epics, which no feed tells of, the steps of the state are news', () => {
  const stateOf = { type: 'Epic', id: 3 } as const;
  assert.deepEqual(occurrenceOfStep({ stateOf, state: 'closed' }), { event: 'close_issue', about: stateOf });
  assert.deepEqual(occurrenceOfStep({ stateOf, state: 'opened' }), { event: 'reopen_issue', about: stateOf });
  assert.equal(occurrenceOfStep({ stateOf: { type: 'Issue', id: 3 }, state: 'closed' }), null);
});
