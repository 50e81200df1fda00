import { subscription } from '#events/event-bus.ts';
import { family } from '#http/endpoint/resource-module.ts';
import { makeEnvironments } from './create-environments.ts';
import { followJobs } from './on-job-status.ts';
import { stopEnvironments, stopWithBranches, stopWithMergeRequest } from './on-ref-deleted.ts';

/** What CI jobs do with environments: no endpoints, but what follows from the steps of jobs. */
export const deploymentJobs = family({
  endpoints: {},
  jobs: [stopEnvironments],
  subscriptions: [
    subscription({ event: 'environments-wanted', inTransaction: makeEnvironments }),
    subscription({ event: 'jobs-stepped', inTransaction: followJobs }),
    subscription({ event: 'refs-changed', inTransaction: stopWithBranches }),
    subscription({ event: 'occurred', inTransaction: stopWithMergeRequest }),
  ],
});
