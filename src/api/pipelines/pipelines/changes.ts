import { sql } from 'kysely';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { reloadAccess, requireAbility } from '#authorization/current-access.ts';
import { findPipeline, type PipelineRow } from '#authorization/pipelines.ts';
import { deleteBatch } from '#database/batch-statements.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE, type MORE, recheckNothing, runBatchSteps, runInBatches } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { cancelPipeline, retryPipeline } from '../processing/index.ts';

type DeletedPipeline = Columns<'pipelines', 'id' | 'project_id'>;

/** Deletes a pipeline and everything that belongs to it in batches: retried jobs first, the row of the pipeline last. */
export async function deletePipelineInBatches(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  pipeline: DeletedPipeline,
): Promise<void> {
  await runInBatches(runUnitOfWork, caller, {
    recheck: async (uow) => requireAbility(await reloadAccess(uow, caller, pipeline.project_id), 'destroy_pipeline'),
    runBatch: (uow) => deletePipelineRows(uow, pipeline.id),
  });
}

/** Deletes a pipeline that is older than its project allows, without a user as the actor. */
async function deleteOldPipeline(runUnitOfWork: RunUnitOfWork, pipelineId: number): Promise<void> {
  await runInBatches(runUnitOfWork, ANONYMOUS, {
    recheck: recheckNothing,
    runBatch: (uow) => deletePipelineRows(uow, pipelineId),
  });
}

/**
 * Deletes one batch; returns `MORE` if another batch must follow. Unfinished jobs are canceled first, so that no
 * deployment runs forever and waiting jobs get their resources. Subscribers of `pipeline-deleted` still find the row.
 * index: pipelines primary key
 */
async function deletePipelineRows(uow: UnitOfWork, pipelineId: number): Promise<typeof MORE | undefined> {
  const pipelineQuery = uow.selectFrom('pipelines').select(['id', 'project_id', 'status']).where('id', '=', pipelineId);
  const pipeline = await pipelineQuery.executeTakeFirst();
  if (pipeline === undefined) return undefined;
  await cancelPipeline(uow, pipeline, { force: true });
  return runBatchSteps(
    () => deleteJobBatch(uow, 'pipeline_id', pipelineId, { retried: true }),
    () => deleteJobBatch(uow, 'pipeline_id', pipelineId),
    () => deleteCommitStatusBatch(uow, pipelineId),
    async () => {
      await uow.publish('pipeline-deleted', { projectId: pipeline.project_id, pipelineId });
      return deletePipelineBatch(uow, 'id', pipelineId);
    },
  );
}

// Deletion of pipelines that exceed the retention period of their project (contract/runners.md "Background work").

const OLD_BATCH_SIZE = 100;

/** Deletes the pipelines that are older than the retention period of their project. */
export const deleteOldPipelines = defineJob({
  kind: 'delete_old_pipelines',
  async handle(
    { database, clock, runUnitOfWork }: Pick<Services, 'clock' | 'database' | 'runUnitOfWork'>,
    _payload: Record<string, never>,
    { signal },
  ) {
    for (let afterId = 0; ; ) {
      const projects = await listProjectsWithRetention(database.reader, afterId);
      for (const { id, attributes } of projects) {
        const seconds = parseStoredAttributes({ attributes }).ci_delete_pipelines_in_seconds;
        if (seconds === null) continue;
        const createdBefore = addMilliseconds(timestamp(clock), -seconds * 1000);
        for (
          let pipelineIds = await listPipelinesOlderThan(database.reader, id, createdBefore);
          pipelineIds.length > 0 && !signal.aborted;
        ) {
          for (const pipelineId of pipelineIds) await deleteOldPipeline(runUnitOfWork, pipelineId);
          pipelineIds = await listPipelinesOlderThan(database.reader, id, createdBefore);
        }
      }
      const last = projects.at(-1);
      if (last === undefined || signal.aborted) return;
      afterId = last.id;
    }
  },
});

export const deleteOldPipelinesDaily: Schedule<Services> = {
  name: 'delete_old_pipelines',
  cron: '40 3 * * *',
  job: deleteOldPipelines,
};

/** Lists a batch of the projects that may have a retention period for pipelines, by id. index: projects primary key */
function listProjectsWithRetention(db: Reader, afterId: number) {
  return db
    .selectFrom('projects')
    .select(['id', 'attributes'])
    .where('id', '>', afterId)
    .where('attributes', 'like', '%"ci_delete_pipelines_in_seconds":%')
    .orderBy('id')
    .limit(OLD_BATCH_SIZE)
    .execute();
}

/** Lists a batch of the pipelines created before this time, oldest first. index: pipelines_by_project */
async function listPipelinesOlderThan(db: Reader, projectId: number, createdBefore: string): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .select(['id', 'created_at'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .limit(OLD_BATCH_SIZE)
    .execute();
  // Ids ascend with the creation time, so a batch without an older pipeline ends the search.
  return rows.filter(({ created_at }) => created_at < createdBefore).map(({ id }) => id);
}

/**
 * Deletes the jobs, then the pipelines of a deleted project, so that the deletion of a pipeline does not cascade to many
 * rows. index: jobs_by_project, pipelines_by_project
 */
export const deletePipelinesOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(
      () => deleteJobBatch(uow, 'project_id', projectId),
      () => deletePipelineBatch(uow, 'project_id', projectId),
    ),
});

type PipelineResult<Code extends string = never> = Promise<PipelineRow | Failure<'notFound' | Code>>;

/** Retries failed and canceled jobs of a pipeline and returns the pipeline. */
export async function retryAndReloadPipeline(uow: UnitOfWork, { id, project_id }: PipelineRow): PipelineResult {
  await retryPipeline(uow, { id, project_id });
  return reloadPipeline(uow, { id, project_id });
}

/** Cancels the unfinished jobs of a pipeline and returns the pipeline. A finished pipeline stays as it is. */
export async function cancelAndReloadPipeline(uow: UnitOfWork, { id, project_id }: PipelineRow): PipelineResult {
  const current = await findPipeline(uow, project_id, id);
  if (current === null) return fail('notFound');
  await cancelPipeline(uow, current);
  return reloadPipeline(uow, current);
}

/** Sets the name of a pipeline. index: pipelines primary key */
export async function renamePipeline(uow: UnitOfWork, pipeline: PipelineRow, name: string): PipelineResult<'invalid'> {
  if (name.length > 255) return invalid({ name: ['is too long (maximum is 255 characters)'] });
  await uow.updateTable('pipelines').set({ name, updated_at: uow.now }).where('id', '=', pipeline.id).execute();
  return reloadPipeline(uow, pipeline);
}

async function reloadPipeline(
  tx: Transaction,
  { id, project_id }: Pick<PipelineRow, 'id' | 'project_id'>,
): PipelineResult {
  return (await findPipeline(tx, project_id, id)) ?? fail('notFound');
}

// Deletes pipelines and jobs in batches. Rows that are deleted by cascade count for the size of a batch. Each function
// returns the number that `runBatchSteps` expects: `BATCH_SIZE` while there may be more rows.

/** The column that selects the rows: all of a project, or of a pipeline. */
type ParentColumn = 'project_id' | 'pipeline_id';

/**
 * Deletes a batch of jobs: first their logs and artifacts, then as many jobs as fit with their tags and variables. Jobs
 * of the last stages are deleted first, so that no remaining job becomes the next one to run. `retried`: only replaced
 * attempts.
 * index: jobs_by_project, jobs_by_pipeline
 */
async function deleteJobBatch(
  tx: Transaction,
  column: ParentColumn,
  id: number,
  { retried = false } = {},
): Promise<number> {
  const jobs = await tx
    .selectFrom('jobs')
    .select((eb) => [
      'jobs.id',
      eb
        .selectFrom('job_tags')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('job_tags.job_id', '=', 'jobs.id')
        .as('tag_count'),
      eb
        .selectFrom('job_variables')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('job_variables.job_id', '=', 'jobs.id')
        .as('variable_count'),
    ])
    .where(column, '=', id)
    .$if(column === 'pipeline_id', (query) => query.orderBy('stage_index', 'desc'))
    .$if(retried, (query) => query.where(sql<boolean>`retried`))
    .orderBy('id', 'desc')
    .limit(BATCH_SIZE)
    .execute();
  const deletedCount = await deleteLogsAndArtifacts(
    tx,
    jobs.map((job) => job.id),
  );
  const weightedRows = jobs.map((job) => ({
    id: job.id,
    rows: 1 + Number(job.tag_count) + Number(job.variable_count),
  }));
  return deleteWeightedRows(tx, 'jobs', weightedRows, BATCH_SIZE - deletedCount);
}

/** Deletes a batch of commit statuses of a pipeline. index: commit_statuses_by_pipeline */
function deleteCommitStatusBatch(tx: Transaction, pipelineId: number): Promise<number> {
  return deleteBatch(tx, { table: 'commit_statuses', column: 'pipeline_id' }, pipelineId, BATCH_SIZE);
}

/**
 * Deletes pipelines without jobs: one by its id, or a batch of those of a project.
 * index: pipelines primary key, pipelines_by_project
 */
async function deletePipelineBatch(tx: Transaction, column: 'id' | 'project_id', id: number): Promise<number> {
  const pipelines = await tx
    .selectFrom('pipelines')
    .select((eb) => [
      'pipelines.id',
      eb
        .selectFrom('pipeline_variables')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('pipeline_variables.pipeline_id', '=', 'pipelines.id')
        .as('variable_count'),
      eb
        .selectFrom('job_option_parts')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('job_option_parts.pipeline_id', '=', 'pipelines.id')
        .as('part_count'),
    ])
    .where(column, '=', id)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  const weightedRows = pipelines.map(({ id, variable_count, part_count }) => ({
    id,
    rows: 1 + Number(variable_count) + Number(part_count),
  }));
  return deleteWeightedRows(tx, 'pipelines', weightedRows, BATCH_SIZE);
}

/** A row, and the number of rows that its deletion deletes, including the row itself. */
interface WeightedRow {
  readonly id: number;
  readonly rows: number;
}

/**
 * Deletes the first candidates that together weigh at most `maxRows`. Returns 0 if none remain, else `BATCH_SIZE`.
 * index: jobs primary key, pipelines primary key
 */
async function deleteWeightedRows(
  tx: Transaction,
  table: 'jobs' | 'pipelines',
  candidates: readonly WeightedRow[],
  maxRows: number,
): Promise<number> {
  const ids = selectWithinWeight(maxRows, candidates);
  if (ids.length > 0)
    await tx
      .deleteFrom(table)
      .where(isInIds(tx, sql.ref('id'), ids))
      .execute();
  return ids.length === candidates.length && candidates.length < BATCH_SIZE ? 0 : BATCH_SIZE;
}

/**
 * Deletes at most `BATCH_SIZE` log chunks and artifacts of these jobs. Returns their number.
 * index: job_trace_chunks_pkey, job_artifacts_by_job
 */
async function deleteLogsAndArtifacts(tx: Transaction, jobIds: readonly number[]): Promise<number> {
  if (jobIds.length === 0) return 0;
  const isOfJobs = isInIds(tx, sql.ref('job_id'), jobIds);
  const chunks = await sql`delete from job_trace_chunks where (job_id, start) in
    (select job_id, start from job_trace_chunks where ${isOfJobs} limit ${sql.lit(BATCH_SIZE)})`.execute(tx);
  const deletedChunkCount = Number(chunks.numAffectedRows ?? 0);
  const files = await sql`delete from job_artifacts where id in
    (select id from job_artifacts where ${isOfJobs} limit ${sql.lit(BATCH_SIZE - deletedChunkCount)})`.execute(tx);
  return deletedChunkCount + Number(files.numAffectedRows ?? 0);
}

/** Returns the ids of the first rows that together weigh at most `limit`; at least one, unless the limit is 0. */
function selectWithinWeight(limit: number, candidates: readonly WeightedRow[]): number[] {
  const ids: number[] = [];
  let weight = 0;
  for (const { id, rows } of candidates) {
    weight += rows;
    if (limit === 0 || (weight > limit && ids.length > 0)) break;
    ids.push(id);
  }
  return ids;
}
