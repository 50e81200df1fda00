/** The states of jobs and pipelines: no family with endpoints of its own, but what every change of a status goes through. */

export { cancelJob, cancelPipeline } from './cancel.ts';
export { postStatus } from './commit-statuses.ts';
export { heldBack, wantEnvironments } from './deployment-check.ts';
export { hasFinished } from './job-readiness.ts';
export { noteOutcome } from './pipeline-outcome.ts';
export { playJob, releaseJob } from './play.ts';
export { retryJob, retryPipeline } from './retry.ts';
export { forgetQueue, raiseQueuesOf, readQueueValue } from './runner-queue-versions.ts';
export { beginPipeline, changeJob, giveTurnIn, jobsTurn, startDelayedJob } from './state-machine.ts';
export { JOB_VARIABLE, PIPELINE_VARIABLE } from './variables.ts';
