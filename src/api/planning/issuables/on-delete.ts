import { sql } from 'kysely';
import { deleteTargetActivity } from '#activity/index.ts';
import { isInIds } from '#database/dialect.ts';
import { selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import { BATCH_SIZE, MORE } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { listIds } from '#events/owned-rows.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { IssuableTables, LabelableTables } from './kind.ts';

/** Additional steps before a batch of issuables is deleted. */
type BeforeDelete = (uow: UnitOfWork, ids: readonly number[]) => Promise<void>;

/**
 * Subscriptions that delete the issuables of a destroyed project or group, and those of a user who is deleted with their
 * contributions. `beforeDelete` runs before each batch of the user's issuables is deleted, in the same transaction.
 */
export const deleteIssuablesOfOwner = (tables: LabelableTables, beforeDelete?: BeforeDelete) => [
  tables.table === 'epics'
    ? defineSubscription({
        event: 'group-destroyed',
        inBatches: (uow, { groupId }) => deleteIssuablesBatch(uow, tables, 'group_id', groupId),
      })
    : defineSubscription({
        event: 'project-destroyed',
        inBatches: (uow, { projectId }) => deleteIssuablesBatch(uow, tables, 'project_id', projectId),
      }),
  defineSubscription({
    event: 'user-deleted',
    inBatches: async (uow, { userId, hard }) =>
      hard ? deleteIssuablesBatch(uow, tables, 'author_id', userId, beforeDelete) : undefined,
  }),
];

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
  const ids = await listIds(uow, { table: tables.table, column }, ownerId);
  if (ids.length === 0) return undefined;
  // After a full batch, more notes may remain. They must be deleted before the issuables.
  if ((await deleteNotesBatch(uow, tables, ids)) === BATCH_SIZE) return MORE;
  const activityTargetType = ACTIVITY_TARGET_TYPES[tables.table];
  if (activityTargetType !== null) await deleteTargetActivity(uow, activityTargetType, ids);
  await beforeDelete?.(uow, ids);
  await sql`delete from ${sql.table(tables.table)} where ${isInIds(uow, sql<number>`id`, ids)}`.execute(uow);
  return ids.length === BATCH_SIZE ? MORE : undefined;
}

/**
 * Deletes a batch of the notes on these issuables and returns how many.
 * index: notes_by_issue_created, notes_by_merge_request_created, notes_by_epic_created
 */
export async function deleteNotesBatch(
  uow: UnitOfWork,
  tables: LabelableTables,
  issuableIds: readonly number[],
): Promise<number> {
  const notes = await uow
    .selectFrom('notes')
    .select('id')
    .where(isInIds(uow, sql.ref<number>(tables.foreignKey), issuableIds))
    // Lets the engines use the partial index.
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

/**
 * Unassigns a former member from the issuables of the project or group, if the event has `unassign` set.
 * index: issue_assignees_by_user, merge_request_assignees_by_user
 */
export const unassignFormerMembers = (tables: IssuableTables) =>
  defineSubscription({
    event: 'membership-ended',
    async inTransaction(uow, { userId, sourceType, sourceId, unassign }) {
      if (!unassign) return;
      const [assignees, issuables] = [sql.table(tables.assigneeTable), sql.table(tables.table)];
      const projectIds =
        sourceType === 'project' ? sql`(${sourceId})` : sql`(${selectDescendantProjectIds(uow, sourceId)})`;
      const assigneeQuery = sql<{ id: number }>`select assignee_link.id from ${assignees} as assignee_link
        inner join ${issuables} as issuable on issuable.id = ${sql.ref(`assignee_link.${tables.foreignKey}`)}
        where assignee_link.user_id = ${userId} and issuable.project_id in ${projectIds}`;
      const ids = (await assigneeQuery.execute(uow)).rows.map(({ id }) => id);
      if (ids.length > 0) await sql`delete from ${assignees} where ${isInIds(uow, sql<number>`id`, ids)}`.execute(uow);
    },
  });
