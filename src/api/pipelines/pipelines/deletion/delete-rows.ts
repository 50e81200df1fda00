import { sql } from 'kysely';
import { deleteBatch } from '#database/batch-statements.ts';
import type { Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE } from '#events/batches.ts';

/**
 * Deletes pipelines and jobs in batches. Rows that are deleted by cascade count for the size of a batch. Each function
 * returns the number that `runBatchSteps` expects: `BATCH_SIZE` while there may be more rows.
 */

/** The column that selects the rows: all of a project, or of a pipeline. */
type ParentColumn = 'project_id' | 'pipeline_id';

/**
 * Deletes a batch of jobs: first their logs and artifacts, then as many jobs as fit with their tags and variables. Jobs
 * of the last stages are deleted first, so that no remaining job becomes the next one to run. `retried`: only replaced
 * attempts.
 * index: jobs_by_project, jobs_by_pipeline
 */
export async function deleteJobBatch(
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
export function deleteCommitStatusBatch(tx: Transaction, pipelineId: number): Promise<number> {
  return deleteBatch(tx, { table: 'commit_statuses', column: 'pipeline_id' }, pipelineId, BATCH_SIZE);
}

/**
 * Deletes pipelines without jobs: one by its id, or a batch of those of a project.
 * index: pipelines primary key, pipelines_by_project
 */
export async function deletePipelineBatch(tx: Transaction, column: 'id' | 'project_id', id: number): Promise<number> {
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
    (select job_id, start from job_trace_chunks where ${isOfJobs} limit ${BATCH_SIZE})`.execute(tx);
  const deletedChunkCount = Number(chunks.numAffectedRows ?? 0);
  const files = await sql`delete from job_artifacts where id in
    (select id from job_artifacts where ${isOfJobs} limit ${BATCH_SIZE - deletedChunkCount})`.execute(tx);
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
