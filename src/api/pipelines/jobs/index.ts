import { family } from '#http/endpoint/resource-module.ts';
import { startDelayedJob } from '../processing/index.ts';
import * as endpoints from './endpoints.ts';
import * as runnerEndpoints from './runner-endpoints.ts';
import * as runnerListEndpoints from './runner-list-endpoints.ts';
import { endOverdueJobs, endOverdueJobsOften, endStuckJobs, endStuckJobsHourly } from './stuck-jobs.ts';

// What other families may use of jobs.
export { actingOnJob, mayForce, readingJob } from './access.ts';
export { ARTIFACT_TYPES, type ArtifactTypeName, artifactType } from './artifact-types.ts';
export { Job } from './entities.ts';
export { FAILURE_REASONS, type FailureReason } from './failure-reasons.ts';
export { hasLapsed, isLatestKept, latestSuccess } from './latest-artifacts.ts';
export { readStanding } from './runner-store.ts';

export const jobs = family({
  endpoints: { ...endpoints, ...runnerListEndpoints, ...runnerEndpoints },
  jobs: [startDelayedJob, endOverdueJobs, endStuckJobs],
  schedules: [endOverdueJobsOften, endStuckJobsHourly],
});
