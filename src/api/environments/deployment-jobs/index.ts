import { subscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { createJobEnvironments } from './create-environments.ts';
import { onJobStatusChanged } from './on-job-status.ts';
import { onBranchesDeleted, onMergeRequestEnded, stopEnvironments } from './on-ref-deleted.ts';

/** Effects of CI jobs on environments. This module has no endpoints; it follows job status changes. */
export const deploymentJobs = resourceModule({
  endpoints: {},
  jobs: [stopEnvironments],
  subscriptions: [
    subscription({ event: 'deployment-jobs-created', inTransaction: createJobEnvironments }),
    subscription({ event: 'job-status-changed', inTransaction: onJobStatusChanged }),
    subscription({ event: 'refs-changed', inTransaction: onBranchesDeleted }),
    subscription({ event: 'notifiable-event-occurred', inTransaction: onMergeRequestEnded }),
  ],
});
