import { family } from '../../../http/endpoint/family.ts';
import { startDelayedJob } from '../processing/index.ts';
import * as runnerEndpoints from './runner-endpoints.ts';

// What other families may use of jobs.
export { FAILURE_REASONS, type FailureReason } from './failure-reasons.ts';

export const jobs = family({ endpoints: { ...runnerEndpoints }, jobs: [startDelayedJob] });
