import type { JobRun } from '#jobs/job.ts';

/** Returns a run context that is never aborted, for tests that call a job handler without the queue. */
export const jobRun = (attempt = 1, id = 0): JobRun => ({ id, attempt, signal: new AbortController().signal });
