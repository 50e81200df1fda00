import { defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { enqueue } from '#jobs/job.ts';
import { assembleTrace } from './assemble.ts';
import * as endpoints from './endpoints.ts';
import { joinTraceChunks } from './join-chunks.ts';

const assembleTraceOnJobFinished = defineSubscription({
  event: 'job-finished',
  inTransaction: (uow, { jobId }) => enqueue(uow, assembleTrace, { jobId }),
});

/** Logs of jobs. A log is stored in chunks while the job runs, and assembled into one artifact afterwards. */
export const traces = resourceModule({
  endpoints,
  jobs: [joinTraceChunks, assembleTrace],
  subscriptions: [assembleTraceOnJobFinished],
});
