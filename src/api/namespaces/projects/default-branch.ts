import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { syncHead } from '#repositories/branches/default-branch.ts';

/** Updates HEAD. Enqueued in the transaction that changes the row, so that HEAD is updated even if this process dies. */
export const pointHeadJob = defineJob({
  kind: 'point_head',
  handle: ({ database, git }: Pick<Services, 'database' | 'git'>, { projectId }: { readonly projectId: number }) =>
    syncHead(database.reader, git, projectId),
});
