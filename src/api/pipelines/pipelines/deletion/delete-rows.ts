import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE } from '#events/batches.ts';

/**
 * Removes pipelines and jobs by so many rows at a time, those counted that go with them: a job may have a log of very many
 * chunks. Each function returns as `pieceOf` asks: PIECE while there may be more.
 */

/** Whose jobs go: a project's, or a pipeline's. */
type ParentColumn = 'project_id' | 'pipeline_id';

/**
 * First goes what some jobs have left, then as many of them as their tags and variables allow. Those of the last stages go first,
 * so that none that is there still is the next one to run. index: jobs_by_project, jobs_by_pipeline
 */
export async function deleteJobBatch(
  tx: Transaction,
  of: ParentColumn,
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
        .as('tags'),
      eb
        .selectFrom('job_variables')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('job_variables.job_id', '=', 'jobs.id')
        .as('variables'),
    ])
    .where(of, '=', id)
    .$if(of === 'pipeline_id', (query) => query.orderBy('stage_index', 'desc'))
    .$if(retried, (query) => query.where(sql<boolean>`retried`))
    .orderBy('id', 'desc')
    .limit(BATCH_SIZE)
    .execute();
  const gone = await deleteLogsAndArtifacts(
    tx,
    jobs.map((job) => job.id),
  );
  const weighed = jobs.map((job) => ({ id: job.id, rows: 1 + Number(job.tags) + Number(job.variables) }));
  return deleteWeightedRows(tx, 'jobs', weighed, BATCH_SIZE - gone);
}

/** Some of what others have said of commits. index: commit_statuses_by_project, commit_statuses_by_pipeline */
export async function deleteCommitStatusBatch(tx: Transaction, of: ParentColumn, id: number): Promise<number> {
  const some = tx.selectFrom('commit_statuses').select('id').where(of, '=', id).limit(BATCH_SIZE);
  const { numDeletedRows } = await tx.deleteFrom('commit_statuses').where('id', 'in', some).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
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
        .as('variables'),
      eb
        .selectFrom('job_option_parts')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('job_option_parts.pipeline_id', '=', 'pipelines.id')
        .as('parts'),
    ])
    .where(column, '=', id)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  const weighed = pipelines.map(({ id, variables, parts }) => ({ id, rows: 1 + Number(variables) + Number(parts) }));
  return deleteWeightedRows(tx, 'pipelines', weighed, BATCH_SIZE);
}

/** A row, and how many go with it, itself among them. */
interface WeightedRow {
  readonly id: number;
  readonly rows: number;
}

/** The first of these that together are so many rows at most. index: jobs primary key, pipelines primary key */
async function deleteWeightedRows(
  tx: Transaction,
  table: 'jobs' | 'pipelines',
  found: readonly WeightedRow[],
  most: number,
): Promise<number> {
  const some = selectWithinWeight(most, found);
  if (some.length > 0)
    await tx
      .deleteFrom(table)
      .where(isInIds(tx, sql.ref('id'), some))
      .execute();
  return some.length === found.length && found.length < BATCH_SIZE ? 0 : BATCH_SIZE;
}

/** PIECE rows at most of the logs and files of these jobs; how many they were. index: job_trace_chunks_pkey, job_artifacts_by_job */
async function deleteLogsAndArtifacts(tx: Transaction, jobIds: readonly number[]): Promise<number> {
  if (jobIds.length === 0) return 0;
  const ofJobs = isInIds(tx, sql.ref('job_id'), jobIds);
  const chunks = await sql`delete from job_trace_chunks where (job_id, start) in
    (select job_id, start from job_trace_chunks where ${ofJobs} limit ${BATCH_SIZE})`.execute(tx);
  const gone = Number(chunks.numAffectedRows ?? 0);
  const files = await sql`delete from job_artifacts where id in
    (select id from job_artifacts where ${ofJobs} limit ${BATCH_SIZE - gone})`.execute(tx);
  return gone + Number(files.numAffectedRows ?? 0);
}

/** Returns the ids of the first rows that together weigh at most `limit`; at least one, unless the limit is 0. */
function selectWithinWeight(limit: number, candidates: readonly WeightedRow[]): number[] {
  const ids: number[] = [];
  let sum = 0;
  for (const { id, rows } of candidates) {
    sum += rows;
    if (limit === 0 || (sum > limit && ids.length > 0)) break;
    ids.push(id);
  }
  return ids;
}
