import { sql } from 'kysely';
import { deleteTargetActivity } from '#activity/index.ts';
import { deleteBatch, type ReferenceColumn, reassignReferences } from '#database/batch-statements.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE, MORE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { LabelableTables } from './kind.ts';

/** Subscription that deletes the issuables of a destroyed project, in batches. */
export const deleteIssuablesOfProject = (tables: LabelableTables) =>
  defineSubscription({
    event: 'project-destroyed',
    inBatches: (uow, { projectId }) => deleteIssuablesBatch(uow, tables, 'project_id', projectId),
  });

/** Subscription that deletes the issuables of a destroyed group, in batches. */
export const deleteIssuablesOfGroup = (tables: LabelableTables) =>
  defineSubscription({
    event: 'group-destroyed',
    inBatches: (uow, { groupId }) => deleteIssuablesBatch(uow, tables, 'group_id', groupId),
  });

type BeforeDelete = (uow: UnitOfWork, ids: readonly number[]) => Promise<void>;

/** References to users in the tables of issuables. */
interface UserReferences {
  /** Columns of the main table that are reassigned to the ghost user. */
  readonly columns: readonly string[];
  /** Rows that are deleted with the user. */
  readonly deleted: readonly ReferenceColumn[];
  /** Runs before each batch of the user's issuables is deleted, in the same transaction. */
  readonly beforeDelete?: BeforeDelete;
}

/** Subscription that reassigns the issuables of a deleted user to the ghost user, in batches. A hard deletion deletes the issuables. */
export const reassignIssuablesToGhost = (tables: LabelableTables, { columns, deleted, beforeDelete }: UserReferences) =>
  defineSubscription({
    event: 'user-deleted',
    async inBatches(uow, { userId, ghostUserId, hard }) {
      if (hard && (await deleteIssuablesBatch(uow, tables, 'author_id', userId, beforeDelete)) === MORE) return MORE;
      const reassignment = { from: userId, to: ghostUserId, limit: BATCH_SIZE };
      return runBatchSteps(
        ...columns.map((column) => () => reassignReferences(uow, { table: tables.table, column }, reassignment)),
        ...deleted.map((referenceColumn) => () => deleteBatch(uow, referenceColumn, userId, BATCH_SIZE)),
      );
    },
  });

/** Target types of activity events; null for a resource type without activity events. */
const ACTIVITY_TARGET_TYPES = {
  issues: 'Issue',
  merge_requests: 'MergeRequest',
  epics: null,
} as const satisfies Record<LabelableTables['table'], string | null>;

/**
 * Deletes a batch of the issuables of a project, group or author: first their notes with the activity events of these, then
 * the rows with their activity events. Returns `MORE` while rows remain. index: issues_by_iid, merge_requests_by_iid,
 * epics_by_iid, issues_by_author, merge_requests_by_author, epics_by_author
 */
async function deleteIssuablesBatch(
  uow: UnitOfWork,
  tables: LabelableTables,
  column: 'project_id' | 'group_id' | 'author_id',
  ownerId: number,
  beforeDelete?: BeforeDelete,
): Promise<typeof MORE | undefined> {
  const table = sql.table(tables.table);
  const batchQuery = sql<{
    id: number;
  }>`select id from ${table} where ${sql.ref(column)} = ${ownerId} limit ${BATCH_SIZE}`;
  const ids = (await batchQuery.execute(uow)).rows.map(({ id }) => id);
  if (ids.length === 0) return undefined;
  // A full batch: more notes may remain, which are deleted before the issuables.
  if ((await deleteNotesBatch(uow, tables, ids)) === BATCH_SIZE) return MORE;
  const activityTargetType = ACTIVITY_TARGET_TYPES[tables.table];
  if (activityTargetType !== null) await deleteTargetActivity(uow, activityTargetType, ids);
  await beforeDelete?.(uow, ids);
  await sql`delete from ${table} where ${isInIds(uow, sql<number>`id`, ids)}`.execute(uow);
  return ids.length === BATCH_SIZE ? MORE : undefined;
}

/** Deletes a batch of the notes on these issuables and returns how many. index: notes_by_issue_created, notes_by_merge_request_created, notes_by_epic_created */
export async function deleteNotesBatch(
  uow: UnitOfWork,
  tables: LabelableTables,
  issuableIds: readonly number[],
): Promise<number> {
  const notes = await uow
    .selectFrom('notes')
    .select('id')
    .where(isInIds(uow, sql.ref<number>(tables.foreignKey), issuableIds))
    .where(tables.foreignKey, 'is not', null)
    .limit(BATCH_SIZE)
    .execute();
  const ids = notes.map(({ id }) => id);
  // Notes on epics have no activity events.
  if (tables.table !== 'epics') await deleteTargetActivity(uow, 'Note', ids);
  await uow
    .deleteFrom('notes')
    .where(isInIds(uow, sql<number>`id`, ids))
    .execute();
  return ids.length;
}
