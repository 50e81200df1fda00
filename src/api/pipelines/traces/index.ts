import { subscription } from '#events/event-bus.ts';
import { family } from '#http/endpoint/resource-module.ts';
import { enqueue } from '#jobs/job.ts';
import { putTraceTogether } from './assemble.ts';
import * as endpoints from './endpoints.ts';
import { joinTracePieces } from './join-chunks.ts';

const putTogetherAtTheEnd = subscription({
  event: 'job-finished',
  inTransaction: (uow, { jobId }) => enqueue(uow, putTraceTogether, { jobId }),
});

/** What jobs say while they run. */
export const traces = family({
  endpoints,
  jobs: [joinTracePieces, putTraceTogether],
  subscriptions: [putTogetherAtTheEnd],
});
