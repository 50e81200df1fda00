import { sql } from 'kysely';
import { resourceOfRow, tableOf } from '#activity/index.ts';
import { referElsewhere } from '#database/batch-statements.ts';
import { isAmong } from '#database/dialect.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import { leaveToGhost } from '#events/reassign-to-ghost.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/**
 * The notes of a deleted user stay as the ghost's; with `hard` they go, and their things count without them. What he has
 * resolved stays resolved, by nobody. index: notes_by_author, notes_by_resolver
 */
export const giveNotesAway = subscription({
  event: 'user-deleted',
  inBatches: (uow, deleted) =>
    pieceOf(
      () => leaveToGhost(uow, { table: 'notes', column: 'author_id' }, deleted, deleteSomeOf),
      () =>
        referElsewhere(
          uow,
          { table: 'notes', column: 'resolved_by_id' },
          { from: deleted.userId, to: null, most: PIECE },
        ),
    ),
});

/** What was said on its commits goes with a project. index: commented_commits_by_sha, notes_by_commented_commit */
export const forgetCommits = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) => pieceOf(() => deleteSomeOfCommits(uow, projectId)),
});

/** How many rows they were. */
async function deleteSomeOfCommits(uow: UnitOfWork, projectId: number): Promise<number> {
  const commits = await uow
    .selectFrom('commented_commits')
    .select('id')
    .where('project_id', '=', projectId)
    .limit(PIECE)
    .execute();
  const ids = commits.map(({ id }) => id);
  const said = uow
    .selectFrom('notes')
    .select('id')
    .where(isAmong(uow, sql.ref<number>('commented_commit_id'), ids))
    .where('commented_commit_id', 'is not', null)
    .limit(PIECE);
  const { numDeletedRows } = await uow.deleteFrom('notes').where('id', 'in', said).executeTakeFirstOrThrow();
  if (Number(numDeletedRows) === PIECE) return PIECE;
  await uow
    .deleteFrom('commented_commits')
    .where(isAmong(uow, sql<number>`id`, ids))
    .execute();
  return ids.length;
}

/** How many they were. What the feeds say of them goes with their author. index: notes_by_author */
async function deleteSomeOf(uow: UnitOfWork, userId: number): Promise<number> {
  const notes = await uow
    .selectFrom('notes')
    .select(['id', 'issue_id', 'merge_request_id', 'epic_id', 'commented_commit_id', 'system'])
    .where('author_id', '=', userId)
    .limit(PIECE)
    .execute();
  const counted = Map.groupBy(
    notes.filter((note) => !note.system && note.commented_commit_id === null).map(resourceOfRow),
    ({ type, id }) => `${type} ${id}`,
  );
  // Of how many things that are of one kind so many comments go: mostly one of each.
  const alike = Map.groupBy([...counted.values()], (gone) => `${gone[0]!.type} ${gone.length}`);
  for (const things of alike.values()) {
    const [one, ...others] = things[0]!;
    const count = others.length + 1;
    const ids = things.map((gone) => gone[0]!.id);
    await uow
      .updateTable(tableOf(one!.type))
      .set({ user_notes_count: sql<number>`user_notes_count - ${sql.lit(count)}` })
      .where(isAmong(uow, sql<number>`id`, ids))
      .execute();
  }
  const ids = notes.map(({ id }) => id);
  await uow
    .deleteFrom('notes')
    .where(isAmong(uow, sql<number>`id`, ids))
    .execute();
  return ids.length;
}
