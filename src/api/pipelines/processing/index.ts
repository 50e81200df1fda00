/** The states of jobs and pipelines: no family with endpoints of its own, but what every change of a status goes through. */

export { hasFinished } from './advance.ts';
export { cancelJob, cancelPipeline } from './cancel.ts';
export { beginPipeline, changeJob, giveTurnIn, jobsTurn, startDelayedJob } from './engine.ts';
export { heldBack, wantEnvironments } from './gate.ts';
export { noteOutcome } from './outcome.ts';
export { playJob, releaseJob } from './play.ts';
export { forgetQueue, raiseQueuesOf, readQueueValue } from './queue-values.ts';
export { retryJob, retryPipeline } from './retry.ts';
export { postStatus } from './statuses.ts';
export { JOB_VARIABLE, PIPELINE_VARIABLE } from './variables.ts';
