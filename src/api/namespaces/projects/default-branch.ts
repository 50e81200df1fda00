import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { pointHead } from '#repositories/branches/default-branch.ts';

/** Enqueued with the change of the row, so that HEAD follows even when this process does not live to see to it. */
export const pointHeadJob = defineJob({
  kind: 'point_head',
  handle: ({ database, git }: Services, { projectId }: { readonly projectId: number }) =>
    pointHead(database.reader, git, projectId),
});
