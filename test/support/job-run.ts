import type { JobRun } from '#jobs/job.ts';

/** What a job's handler is told of its run, for tests that call it without the queue: nothing aborts it. */
export const jobRun = (attempt = 1, id = 0): JobRun => ({ id, attempt, signal: new AbortController().signal });
