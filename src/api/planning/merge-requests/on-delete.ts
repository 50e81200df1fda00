import { sql } from 'kysely';
import { isInIds } from '#database/dialect.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  deleteIssuablesOfProject,
  MERGE_REQUESTS,
  reassignIssuablesToGhost,
  unassignFormerMembers,
} from '../issuables/index.ts';
import { enqueueHeadRefUpdate } from './heads/head-refs.ts';

/** Deletion of merge requests with their project or author. */

/** index: merge_requests_by_author, merge_requests_by_closed_by, merge_requests_by_merged_by */
export const onUserDeleted = reassignIssuablesToGhost(MERGE_REQUESTS, {
  columns: ['author_id', 'closed_by_id', 'merged_by_id'],
  // index: merge_request_assignees_by_user, merge_request_reviewers_by_user, merge_request_approvals_by_user
  deleted: [
    { table: 'merge_request_assignees', column: 'user_id' },
    { table: 'merge_request_reviewers', column: 'user_id' },
    { table: 'merge_request_approvals', column: 'user_id' },
  ],
  beforeDelete: enqueueHeadRefDeletion,
});

/** Enqueues the deletion of the head refs. index: merge_requests primary key */
async function enqueueHeadRefDeletion(uow: UnitOfWork, ids: readonly number[]): Promise<void> {
  const deletedMergeRequests = await uow
    .selectFrom('merge_requests')
    .select(['project_id', 'iid'])
    .where(isInIds(uow, sql<number>`id`, ids))
    .execute();
  for (const [projectId, mergeRequests] of Map.groupBy(deletedMergeRequests, ({ project_id }) => project_id)) {
    await enqueueHeadRefUpdate(
      uow,
      projectId,
      mergeRequests.map(({ iid }) => iid),
    );
  }
}

/** index: merge_requests_by_iid */
export const deleteMergeRequestsOfProject = deleteIssuablesOfProject(MERGE_REQUESTS);

/** index: merge_request_assignees_by_user */
export const onMembershipEnded = unassignFormerMembers(MERGE_REQUESTS);
