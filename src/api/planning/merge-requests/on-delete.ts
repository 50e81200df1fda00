import { sql } from 'kysely';
import { isAmong } from '#database/dialect.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { endWithProject, handToGhost, MERGE_REQUESTS, unassignWhoLeaves } from '../issuables/index.ts';
import { keepHeadsSoon } from './heads/head-refs.ts';

/** What becomes of merge requests when people go, or the project. */

/** index: merge_requests_by_author, merge_requests_by_closed_by, merge_requests_by_merged_by */
export const mergeRequestsToGhost = handToGhost(MERGE_REQUESTS, {
  columns: ['author_id', 'closed_by_id', 'merged_by_id'],
  // index: merge_request_assignees_by_user, merge_request_reviewers_by_user, merge_request_approvals_by_user
  lost: [
    { table: 'merge_request_assignees', column: 'user_id' },
    { table: 'merge_request_reviewers', column: 'user_id' },
    { table: 'merge_request_approvals', column: 'user_id' },
  ],
  beforeRemoval: dropHeads,
});

/** The refs of the heads go with them. index: merge_requests primary key */
async function dropHeads(uow: UnitOfWork, ids: readonly number[]): Promise<void> {
  const gone = await uow
    .selectFrom('merge_requests')
    .select(['project_id', 'iid'])
    .where(isAmong(uow, sql<number>`id`, ids))
    .execute();
  for (const [projectId, some] of Map.groupBy(gone, ({ project_id }) => project_id)) {
    await keepHeadsSoon(
      uow,
      projectId,
      some.map(({ iid }) => iid),
    );
  }
}

/** index: merge_requests_by_iid */
export const mergeRequestsEnd = endWithProject(MERGE_REQUESTS);

/** index: merge_request_assignees_by_user */
export const unassignLeavers = unassignWhoLeaves(MERGE_REQUESTS);
