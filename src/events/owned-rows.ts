import { sql } from 'kysely';
import {
  deleteBatch,
  deleteWithChildren,
  type KeyedReferenceColumn,
  type ReferenceColumn,
  reassignReferences,
  type TableWithChildren,
} from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from './batches.ts';
import type { EventPayloads } from './domain-events.ts';
import { defineSubscription } from './event-bus.ts';
import type { UnitOfWork } from './unit-of-work.ts';

// What happens to the rows of a deleted project, group or user in tables with many rows per owner. Foreign keys delete or
// clear the rows of all other tables; CONTRIBUTING.md says which declaration to use. Entries run in this order and before the
// subscriptions of resources, so a table comes before those that it refers to.

type OwnedRows = KeyedReferenceColumn & TableWithChildren;

/** Rows of a user. `ghost` reassigns them to the ghost user, `null` clears the column. */
type UserRows = OwnedRows & {
  readonly action: 'delete' | 'ghost' | 'null';
  /**
   * The effect of a hard deletion, if it differs. `resource`: a subscription of the resource deletes the rows with what
   * depends on them.
   */
  readonly hard?: 'delete' | 'resource';
};

/** Errors with their aggregates. An error may have any number of users. */
export const ERRORS: OwnedRows = {
  table: 'errors',
  column: 'project_id',
  children: [
    { table: 'error_users', column: 'error_id', key: ['error_id', 'user_key'] },
    { table: 'error_environments', column: 'error_id', key: ['error_id', 'environment'] },
    { table: 'error_hours', column: 'error_id', key: ['error_id', 'hour'] },
  ],
};

export const ROWS_OF_PROJECT: readonly OwnedRows[] = [
  { table: 'todos', column: 'project_id' },
  { table: 'activity_events', column: 'project_id' },
  { table: 'commented_commits', column: 'project_id', children: [{ table: 'notes', column: 'commented_commit_id' }] },
  { table: 'lfs_locks', column: 'project_id' },
  { table: 'commit_statuses', column: 'project_id' },
  { table: 'pipeline_triggers', column: 'project_id' },
  {
    table: 'alerts',
    column: 'project_id',
    text: 'payload',
    children: [{ table: 'alert_notes', column: 'alert_id' }],
  },
  { table: 'deployments', column: 'project_id' },
  { table: 'environments', column: 'project_id' },
  { table: 'client_keys', column: 'project_id' },
  { table: 'error_events', column: 'project_id', text: 'payload' },
  ERRORS,
  { table: 'session_states', column: 'project_id', key: ['project_id', 'sid'] },
  { table: 'session_buckets', column: 'project_id', key: ['project_id', 'release', 'environment'] },
];

export const ROWS_OF_GROUP: readonly OwnedRows[] = [{ table: 'todos', column: 'group_id' }];

export const ROWS_OF_USER: readonly UserRows[] = [
  { table: 'activity_events', column: 'author_id', action: 'delete' },
  { table: 'projects', column: 'creator_id', action: 'null' },
  { table: 'todos', column: 'user_id', action: 'delete' },
  { table: 'todos', column: 'author_id', action: 'ghost', hard: 'delete' },
  { table: 'snippets', column: 'author_id', action: 'ghost', hard: 'resource' },
  { table: 'notes', column: 'author_id', action: 'ghost', hard: 'resource' },
  { table: 'notes', column: 'resolved_by_id', action: 'null' },
  { table: 'award_emoji', column: 'user_id', action: 'null', hard: 'resource' },
  { table: 'issues', column: 'author_id', action: 'ghost', hard: 'resource' },
  { table: 'issues', column: 'closed_by_id', action: 'ghost' },
  { table: 'issue_assignees', column: 'user_id', action: 'delete' },
  { table: 'subscriptions', column: 'user_id', action: 'delete' },
  { table: 'merge_requests', column: 'author_id', action: 'ghost', hard: 'resource' },
  { table: 'merge_requests', column: 'closed_by_id', action: 'ghost' },
  { table: 'merge_requests', column: 'merged_by_id', action: 'ghost' },
  { table: 'merge_request_assignees', column: 'user_id', action: 'delete' },
  { table: 'merge_request_reviewers', column: 'user_id', action: 'delete' },
  { table: 'merge_request_approvals', column: 'user_id', action: 'delete' },
  { table: 'epics', column: 'author_id', action: 'ghost', hard: 'resource' },
  { table: 'epics', column: 'closed_by_id', action: 'ghost' },
  { table: 'resource_state_events', column: 'user_id', action: 'null' },
  { table: 'resource_milestone_events', column: 'user_id', action: 'null' },
  { table: 'resource_label_events', column: 'user_id', action: 'null' },
  { table: 'resource_weight_events', column: 'user_id', action: 'null' },
  { table: 'mail_messages', column: 'recipient_id', action: 'delete' },
  { table: 'jobs', column: 'user_id', action: 'null' },
  { table: 'pipelines', column: 'user_id', action: 'null' },
  { table: 'commit_statuses', column: 'user_id', action: 'null' },
  { table: 'pipeline_triggers', column: 'owner_id', action: 'delete' },
  { table: 'deployments', column: 'user_id', action: 'null' },
  { table: 'deployment_approvals', column: 'user_id', action: 'delete' },
  { table: 'alert_notes', column: 'author_id', action: 'ghost', hard: 'delete' },
  { table: 'alerts', column: 'assignee_id', action: 'null' },
  {
    table: 'bulk_import_entities',
    column: 'user_id',
    action: 'delete',
    children: [
      { table: 'bulk_import_objects', column: 'entity_id', key: ['bulk_import_id', 'kind', 'source_key', 'entity_id'] },
      { table: 'bulk_import_failures', column: 'entity_id' },
      { table: 'bulk_import_trackers', column: 'entity_id' },
    ],
  },
  {
    table: 'bulk_imports',
    column: 'user_id',
    action: 'delete',
    children: [{ table: 'bulk_import_users', column: 'bulk_import_id', key: ['bulk_import_id', 'source_user_id'] }],
  },
];

/** Subscriptions that execute the entries above, in batches. */
export const ownedRowsSubscriptions = [
  defineSubscription({
    event: 'project-destroyed',
    inBatches: (uow, { projectId }) =>
      runBatchSteps(...ROWS_OF_PROJECT.map((rows) => () => deleteOwnedBatch(uow, rows, projectId))),
  }),
  defineSubscription({
    event: 'group-destroyed',
    inBatches: (uow, { groupId }) =>
      runBatchSteps(...ROWS_OF_GROUP.map((rows) => () => deleteOwnedBatch(uow, rows, groupId))),
  }),
  defineSubscription({
    event: 'user-deleted',
    inBatches: (uow, deletion) =>
      runBatchSteps(...ROWS_OF_USER.map((rows) => () => processUserBatch(uow, rows, deletion))),
  }),
] as const;

/** Applies the action of an entry to one batch of a deleted user's rows. Returns their number, at most BATCH_SIZE. */
async function processUserBatch(
  uow: UnitOfWork,
  rows: UserRows,
  { userId, ghostUserId, hard }: EventPayloads['user-deleted'],
): Promise<number> {
  const action = hard ? (rows.hard ?? rows.action) : rows.action;
  if (action === 'resource') return 0;
  if (action === 'delete') return deleteOwnedBatch(uow, rows, userId);
  const to = action === 'ghost' ? ghostUserId : null;
  return reassignReferences(uow, rows, { from: userId, to, limit: BATCH_SIZE });
}

/** Deletes one batch of an owner's rows. Returns the number of deleted rows; BATCH_SIZE if rows may remain. */
async function deleteOwnedBatch(uow: UnitOfWork, rows: OwnedRows, ownerId: number): Promise<number> {
  if (rows.children === undefined && rows.text === undefined) return deleteBatch(uow, rows, ownerId, BATCH_SIZE);
  return deleteWithChildren(uow, rows, await listIds(uow, rows, ownerId), BATCH_SIZE);
}

/** Returns the ids of up to BATCH_SIZE rows that refer to an owner. */
export async function listIds(uow: UnitOfWork, { table, column }: ReferenceColumn, ownerId: number): Promise<number[]> {
  const query = sql<{ id: number }>`select id from ${sql.table(table)}
    where ${sql.ref(column)} = ${ownerId} limit ${sql.lit(BATCH_SIZE)}`;
  return (await query.execute(uow)).rows.map(({ id }) => id);
}
