import { resourceModule } from '#http/endpoint/resource-module.ts';
import { startDelayedJob } from '../processing/index.ts';
import * as endpoints from './endpoints.ts';
import * as runnerEndpoints from './runner-endpoints.ts';
import * as runnerListEndpoints from './runner-list-endpoints.ts';
import { endStuckJobs, endStuckJobsHourly, failOverdueJobs, failOverdueJobsEveryTenMinutes } from './stuck-jobs.ts';

// Exports for other resource modules.
export { mayAdministerPipelines, readJobAccess, updateJobAccess } from './access.ts';
export { ARTIFACT_TYPES, type ArtifactTypeName, findArtifactType } from './artifact-types.ts';
export { Job } from './entities.ts';
export { FAILURE_REASONS, type FailureReason } from './failure-reasons.ts';
export { hasExpired, isLatestArtifact, listSuccessfulPipelineIds } from './latest-artifacts.ts';
export { findJobState } from './report.ts';

export const jobs = resourceModule({
  endpoints: { ...endpoints, ...runnerListEndpoints, ...runnerEndpoints },
  jobs: [startDelayedJob, failOverdueJobs, endStuckJobs],
  schedules: [failOverdueJobsEveryTenMinutes, endStuckJobsHourly],
});
