import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { recordActivity } from './activity-events.ts';
import { recordAudit } from './audit-events.ts';
import { recordPushEvents } from './push-events.ts';
import { listRecordedSince, markRecordedEvents } from './recorded-activity.ts';

const BLOCKED = {
  name: 'user_blocked',
  entity: { type: 'User', id: 7, path: 'mira' },
  target: { type: 'User', id: 7, details: 'mira' },
  message: 'Blocked user',
} as const;

test('lists the events recorded after a mark by the names that endpoints declare', async () => {
  await using database = await testDatabase();
  const by = { projectId: 34, authorId: 7 };
  const joined = { ...by, action: 'joined', target: { type: 'Project' } } as const;
  await database.transaction((tx) => recordActivity(tx, joined));
  const mark = await markRecordedEvents(database.reader);
  assert.deepEqual(await listRecordedSince(database.reader, mark), []);

  const ref = { ref: 'v1', from: null, to: 'f'.repeat(40), commitCount: 1, commitMessage: null } as const;
  await database.transaction(async (tx) => {
    await recordAudit(tx, { actor: ANONYMOUS, tier: 'ultimate' }, BLOCKED);
    await recordActivity(tx, { ...by, action: 'reopened', target: { type: 'Issue', id: 88, iid: 3 } });
    await recordActivity(tx, { ...by, action: 'imported', target: { type: 'Project' }, importedFrom: 'none' });
    await recordPushEvents(tx, { ...by, changes: [{ ...ref, refType: 'tag', action: 'created' }], limit: 3 });
  });
  assert.deepEqual(await listRecordedSince(database.reader, mark), [
    'reopened Issue',
    'imported Project',
    'pushed new tag',
    'user_blocked',
  ]);
});
