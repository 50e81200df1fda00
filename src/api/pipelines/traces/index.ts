import { enqueue } from '../../../background/job.ts';
import { subscription } from '../../../facts/bus.ts';
import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { joinTracePieces } from './join.ts';
import { putTraceTogether } from './put-together.ts';

const putTogetherAtTheEnd = subscription({
  fact: 'job-finished',
  inTransaction: (act, { jobId }) => enqueue(act, putTraceTogether, { jobId }),
});

/** What jobs say while they run. */
export const traces = family({
  endpoints,
  jobs: [joinTracePieces, putTraceTogether],
  subscriptions: [putTogetherAtTheEnd],
});
