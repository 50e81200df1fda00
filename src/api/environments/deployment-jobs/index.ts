import { defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { createJobEnvironments, onJobStatusChanged } from './on-job-status.ts';
import { onBranchesDeleted, onMergeRequestEnded, stopEnvironments } from './on-ref-deleted.ts';

/** Effects of CI jobs on environments. This module has no endpoints; it follows job status changes. */
export const deploymentJobs = resourceModule({
  endpoints: {},
  jobs: [stopEnvironments],
  subscriptions: [
    defineSubscription({ event: 'deployment-jobs-created', inTransaction: createJobEnvironments }),
    defineSubscription({ event: 'job-status-changed', inTransaction: onJobStatusChanged }),
    defineSubscription({ event: 'refs-changed', inTransaction: onBranchesDeleted }),
    defineSubscription({ event: 'notifiable-event-occurred', inTransaction: onMergeRequestEnded }),
  ],
});
