import { sql } from 'kysely';
import { getResourceTable, toResource } from '#activity/index.ts';
import { reassignReferences } from '#database/batch-statements.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { reassignToGhost } from '#events/reassign-to-ghost.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/**
 * When a user is deleted: reassigns their notes to the ghost user, or on hard delete deletes them and updates the counts.
 * Threads that they resolved stay resolved, without a resolver. index: notes_by_author, notes_by_resolver
 */
export const onUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, deletion) =>
    runBatchSteps(
      () => reassignToGhost(uow, { table: 'notes', column: 'author_id' }, deletion, deleteNoteBatch),
      () =>
        reassignReferences(
          uow,
          { table: 'notes', column: 'resolved_by_id' },
          { from: deletion.userId, to: null, limit: BATCH_SIZE },
        ),
    ),
});

/** When a project is deleted: deletes the notes on its commits. index: commented_commits_by_sha, notes_by_commented_commit */
export const deleteCommitNotesOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) => runBatchSteps(() => deleteCommitNoteBatch(uow, projectId)),
});

/** Deletes one batch of notes, then their commits' rows. Returns the number of deleted rows; `BATCH_SIZE` if rows may remain. */
async function deleteCommitNoteBatch(uow: UnitOfWork, projectId: number): Promise<number> {
  const commits = await uow
    .selectFrom('commented_commits')
    .select('id')
    .where('project_id', '=', projectId)
    .limit(BATCH_SIZE)
    .execute();
  const ids = commits.map(({ id }) => id);
  const noteIds = uow
    .selectFrom('notes')
    .select('id')
    .where(isInIds(uow, sql.ref<number>('commented_commit_id'), ids))
    .where('commented_commit_id', 'is not', null)
    .limit(BATCH_SIZE);
  const { numDeletedRows } = await uow.deleteFrom('notes').where('id', 'in', noteIds).executeTakeFirstOrThrow();
  if (Number(numDeletedRows) === BATCH_SIZE) return BATCH_SIZE;
  await uow
    .deleteFrom('commented_commits')
    .where(isInIds(uow, sql<number>`id`, ids))
    .execute();
  return ids.length;
}

/** Deletes one batch of notes and returns their number. Their activity events are deleted with the user. index: notes_by_author */
async function deleteNoteBatch(uow: UnitOfWork, userId: number): Promise<number> {
  const notes = await uow
    .selectFrom('notes')
    .select(['id', 'issue_id', 'merge_request_id', 'epic_id', 'commented_commit_id', 'snippet_id', 'system'])
    .where('author_id', '=', userId)
    .limit(BATCH_SIZE)
    .execute();
  const notesByNoteable = Map.groupBy(
    notes.filter((note) => !note.system && (note.commented_commit_id ?? note.snippet_id) === null).map(toResource),
    ({ type, id }) => `${type} ${id}`,
  );
  // Groups noteables by type and number of deleted comments, so that one statement updates each group.
  const noteablesByTypeAndCount = Map.groupBy(
    [...notesByNoteable.values()],
    (noteableNotes) => `${noteableNotes[0]!.type} ${noteableNotes.length}`,
  );
  for (const noteables of noteablesByTypeAndCount.values()) {
    const [firstNote, ...otherNotes] = noteables[0]!;
    const count = otherNotes.length + 1;
    const ids = noteables.map((noteableNotes) => noteableNotes[0]!.id);
    await uow
      .updateTable(getResourceTable(firstNote!.type))
      .set({ user_notes_count: sql<number>`user_notes_count - ${sql.lit(count)}` })
      .where(isInIds(uow, sql<number>`id`, ids))
      .execute();
  }
  const ids = notes.map(({ id }) => id);
  await uow
    .deleteFrom('notes')
    .where(isInIds(uow, sql<number>`id`, ids))
    .execute();
  return ids.length;
}
