import { ANONYMOUS } from '#authentication/caller.ts';
import type { JobStatus, JobWhen } from '#database/schema.ts';
import { insertJobRow, insertPipelineRow } from '#test/support/pipeline-rows.ts';
import type { Project, World } from '#test/support/world.ts';
import { changeJobStatus, processPipeline } from './index.ts';

/** A started pipeline with these jobs, as a CI file would create it. */
export interface PipelineFixture {
  readonly id: number;
  /** Returns the id of the latest attempt of this job. */
  getJobId(name: string): Promise<number>;
  /** Returns the status of each job's latest attempt by name, and of the pipeline as `pipeline`. */
  listStatuses(): Promise<Record<string, JobStatus>>;
  /** Starts a job and, unless `to` is `running`, finishes it with this status and the columns in `change`. */
  runJob(name: string, to?: JobStatus, change?: Parameters<typeof changeJobStatus>[4]): Promise<void>;
}

export interface JobFixture {
  readonly stage?: number;
  readonly when?: JobWhen;
  readonly allowFailure?: boolean;
  readonly needs?: readonly string[];
  readonly options?: object;
  readonly row?: Parameters<typeof insertJobRow>[2];
}

/** Inserts a pipeline with these jobs and starts it. */
export async function createPipelineFixture(
  world: World,
  project: Project,
  jobs: Readonly<Record<string, JobFixture>>,
  row: Parameters<typeof insertPipelineRow>[2] = {},
): Promise<PipelineFixture> {
  const { database, runUnitOfWork } = world.server.services;
  const id = await insertPipelineRow(world, project, { status: 'created', ref: 'feature', ...row });
  for (const [
    name,
    { stage = 0, when = 'on_success', allowFailure = false, needs, options = {}, row: jobRow },
  ] of Object.entries(jobs)) {
    await insertJobRow(world, project, {
      pipeline_id: id,
      name,
      stage: `stage ${stage}`,
      stage_index: stage,
      status: 'created',
      run_when: when,
      allow_failure: allowFailure,
      queued_at: null,
      needs:
        needs === undefined ? null : JSON.stringify(needs.map((job) => ({ job, artifacts: true, optional: true }))),
      options: JSON.stringify(options),
      ...jobRow,
    });
  }
  await runUnitOfWork(ANONYMOUS, (uow) => processPipeline(uow, { id, project_id: project.id }));
  const listLatestJobs = () =>
    database.reader
      .selectFrom('jobs')
      .select(['id', 'name', 'status'])
      .where('pipeline_id', '=', id)
      .where('retried', '=', false)
      .execute();
  const getJobId = async (name: string) => (await listLatestJobs()).find((job) => job.name === name)!.id;
  return {
    id,
    getJobId,
    async listStatuses() {
      const { status } = await database.reader
        .selectFrom('pipelines')
        .select('status')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return { ...Object.fromEntries((await listLatestJobs()).map((job) => [job.name, job.status])), pipeline: status };
    },
    async runJob(name, to = 'running', change = {}) {
      const jobId = await getJobId(name);
      await runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, jobId, ['pending'], 'running', { timeout: 60 }));
      if (to !== 'running')
        await runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, jobId, ['running'], to, change));
    },
  };
}
