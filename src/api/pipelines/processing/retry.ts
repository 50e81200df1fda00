import type { JobStatus } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type Clone, cloneJobs } from './clone-jobs.ts';
import { heldBack } from './deployment-check.ts';
import { laterThan } from './job-readiness.ts';
import { idsOf, stepJobs, type Whose, whoseAre } from './job-transitions.ts';
import { type PipelineKey, settle, startJob } from './state-machine.ts';
import { type EngineJob, latestOf } from './store.ts';

/** A job as verbs know it. */
export interface JobKey {
  readonly id: number;
  readonly project_id: number;
  readonly pipeline_id: number;
}

const RETRYABLE: readonly JobStatus[] = ['success', 'failed', 'canceled'];

function isRetryable({ status, failure_reason }: EngineJob): boolean {
  return RETRYABLE.includes(status) && failure_reason !== 'deployment_rejected';
}

/**
 * Another attempt of a job that has ended: a new row, by this user; the old one counts as retried. Later jobs that were
 * skipped wait for it again. Returns the id of the new one. `forbidden`: he may not deploy to its environment.
 */
export async function retryJob(
  uow: UnitOfWork,
  job: JobKey,
  userId: number | null,
): Promise<number | Failure<'notRetryable' | 'forbidden'>> {
  const jobs = await latestOf(uow, job.pipeline_id);
  const old = jobs.find(({ id }) => id === job.id);
  if (!old || !isRetryable(old)) return fail('notRetryable');
  const held = (await heldBack(uow, job, [{ ...old, user_id: userId }])).get(old.id);
  if (held === 'protected_environment_failure') return fail('forbidden');
  const [clone] = await cloneJobs(uow, job, [job.id], userId);
  if (!clone) return fail('notRetryable');
  await reopen(uow, job, jobs, old);
  await startAgain(uow, job, clone);
  return clone.id;
}

/** What somebody has asked for waits for nobody to ask for it again. */
async function startAgain(uow: UnitOfWork, job: JobKey, clone: Clone): Promise<void> {
  if (clone.run_when === 'manual' || clone.run_when === 'delayed') await startJob(uow, clone.id, ['created']);
  else await settle(uow, { id: job.pipeline_id, project_id: job.project_id });
}

/** Has jobs wait again for this one that were skipped, as they come after it. */
export async function reopen(uow: UnitOfWork, whose: Whose, jobs: readonly EngineJob[], job: EngineJob): Promise<void> {
  const skipped = laterThan(jobs, job).filter(({ status }) => status === 'skipped');
  await stepJobs(uow, whose, skipped, 'created');
}

/** Another attempt of each job of the pipeline that has failed or was canceled; what was skipped waits again. */
export async function retryPipeline(uow: UnitOfWork, pipeline: PipelineKey): Promise<void> {
  const jobs = await latestOf(uow, pipeline.id);
  const again = jobs.filter((job) => job.status !== 'success' && isRetryable(job));
  const whose = whoseAre(pipeline);
  await cloneJobs(uow, whose, idsOf(again), uow.actor.user?.id ?? null);
  const skipped = jobs.filter(({ status }) => status === 'skipped');
  await stepJobs(uow, whose, skipped, 'created');
  await settle(uow, pipeline);
}
