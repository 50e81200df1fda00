import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowDeleted } from '#runtime/failure.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { Note } from '../notes/entities.ts';
import { MilestoneEvent } from '../resource-milestone-events/endpoints.ts';
import { IssueInList } from './entities.ts';

// A read that meets a deleted row is repeated as a whole (`RowDeleted`).

test('reads again if an author, project or milestone was deleted meanwhile', async () => {
  await using database = await testDatabase();
  const to = { db: database.reader, params: {}, url: '', tier: 'ultimate' } as never;
  const gone = 987_654;
  for (const showing of [
    () => Note.serializeAll([{ id: 1, author_id: gone, resolved_by_id: null, issue_id: 1 } as never], to),
    () =>
      IssueInList.serializeAll(
        [
          {
            id: 1,
            author_id: gone,
            project_id: gone,
            milestone_id: null,
            closed_by_id: null,
            iteration_id: null,
            duplicated_to_id: null,
          } as never,
        ],
        to,
      ),
    () => MilestoneEvent.serializeAll([{ user_id: null, milestone_id: gone, issue_id: 1 } as never], to),
  ]) {
    await assert.rejects(async () => showing(), RowDeleted);
  }
});
