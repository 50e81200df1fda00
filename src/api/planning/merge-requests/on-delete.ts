import { sql } from 'kysely';
import { isInIds } from '#database/dialect.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueueHeadRefUpdate } from './heads/head-refs.ts';

/** Enqueues the deletion of the head refs of merge requests that are about to be deleted. index: merge_requests primary key */
export async function enqueueHeadRefDeletion(uow: UnitOfWork, ids: readonly number[]): Promise<void> {
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
