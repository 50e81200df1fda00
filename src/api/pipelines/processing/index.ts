// Changes the status of jobs and pipelines. Has no endpoints; all status changes use this module.

export { cancelJob, cancelPipeline, playJob, releaseJob, retryJob, retryPipeline } from './changes.ts';
export { setCommitStatus } from './commit-statuses.ts';
export { createEnvironmentsForJobs, findBlockedDeployments } from './deployment-check.ts';
export { hasFinished, resolveNeeds } from './job-readiness.ts';
export { recordOutcome } from './job-transitions.ts';
export { deleteRunnerQueue, getQueueVersion, notifyRunnersOfScope } from './runner-queue-versions.ts';
export {
  changeJobStatus,
  jobsLockKey,
  processPipeline,
  startDelayedJob,
  startNextInResourceGroup,
} from './state-machine.ts';
export { listLatestJobs } from './store.ts';
