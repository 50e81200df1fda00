import { resourceModule } from '#http/endpoint/resource-module.ts';
import { startDelayedJob } from '../processing/index.ts';
import * as endpoints from './endpoints.ts';
import { endStuckJobs, endStuckJobsHourly, failOverdueJobs, failOverdueJobsEveryTenMinutes } from './stuck-jobs.ts';

// Exports for other resource modules.
export { mayAdministerPipelines, readJobAccess, updateJobAccess } from './access.ts';
export { ARTIFACT_TYPES, type ArtifactTypeName, findArtifactType } from './artifact-types.ts';
export { FAILURE_REASONS, type FailureReason, findJobState } from './changes.ts';
export { Job } from './entities.ts';
export { hasExpired, isLatestArtifact, listSuccessfulPipelineIds } from './store.ts';

export const jobs = resourceModule({
  endpoints,
  jobs: [startDelayedJob, failOverdueJobs, endStuckJobs],
  schedules: [failOverdueJobsEveryTenMinutes, endStuckJobsHourly],
});
