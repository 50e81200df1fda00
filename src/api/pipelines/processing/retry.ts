import type { JobStatus } from '../../../database/tables/pipelines.ts';
import type { Act } from '../../../facts/act.ts';
import { type Refused, refused } from '../../../refused.ts';
import { laterThan } from './advance.ts';
import { type Clone, cloneJobs } from './clones.ts';
import { type PipelineKey, settle, startJob } from './engine.ts';
import { type EngineJob, latestOf, stepJobs } from './store.ts';

/** A job as verbs know it. */
export interface JobKey {
  readonly id: number;
  readonly project_id: number;
  readonly pipeline_id: number;
}

const RETRYABLE: readonly JobStatus[] = ['success', 'failed', 'canceled'];

/**
 * Another attempt of a job that has ended: a new row, by whoever retries; the old one counts as retried. Later jobs that
 * were skipped wait for it again. Returns the id of the new one.
 */
export async function retryJob(act: Act, job: JobKey): Promise<number | Refused<'notRetryable'>> {
  const jobs = await latestOf(act, job.pipeline_id);
  const old = jobs.find(({ id }) => id === job.id);
  if (!old || !RETRYABLE.includes(old.status)) return refused('notRetryable');
  const [clone] = await cloneJobs(act, job.pipeline_id, [job.id], act.by.user?.id ?? null);
  if (!clone) return refused('notRetryable');
  await reopen(act, jobs, old);
  await startAgain(act, job, clone);
  return clone.id;
}

/** What somebody has asked for waits for nobody to ask for it again. */
async function startAgain(act: Act, job: JobKey, clone: Clone): Promise<void> {
  if (clone.run_when === 'manual' || clone.run_when === 'delayed') await startJob(act, clone.id, ['created']);
  else await settle(act, { id: job.pipeline_id, project_id: job.project_id });
}

/** Has jobs wait again for this one that were skipped, as they come after it. */
export async function reopen(act: Act, jobs: readonly EngineJob[], job: EngineJob): Promise<void> {
  const skipped = laterThan(jobs, job).filter(({ status }) => status === 'skipped');
  await stepJobs(
    act,
    skipped.map(({ id }) => id),
    'created',
  );
}

/** Another attempt of each job of the pipeline that has failed or was canceled; what was skipped waits again. */
export async function retryPipeline(act: Act, pipeline: PipelineKey): Promise<void> {
  const jobs = await latestOf(act, pipeline.id);
  const idsOf = (...statuses: readonly JobStatus[]) =>
    jobs.filter(({ status }) => statuses.includes(status)).map(({ id }) => id);
  await cloneJobs(act, pipeline.id, idsOf('failed', 'canceled'), act.by.user?.id ?? null);
  await stepJobs(act, idsOf('skipped'), 'created');
  await settle(act, pipeline);
}
