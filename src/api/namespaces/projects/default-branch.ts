import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { syncHead } from '#repositories/branches/default-branch.ts';

/**
 * Sets HEAD of the repository to the stored default branch. The transaction that changes the row enqueues the job, so
 * HEAD is updated even if the process dies.
 */
export const syncHeadJob = defineJob({
  kind: 'point_head',
  handle: ({ database, git }: Pick<Services, 'database' | 'git'>, { projectId }: { readonly projectId: number }) =>
    syncHead(database.reader, git, projectId),
});
