import { type SqlBool, sql } from 'kysely';
import type { Columns, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { createEnvironmentsForJobs } from './deployment-check.ts';
import type { PipelineOfJobs } from './job-transitions.ts';
import { loadProcessingOptions, type ProcessingOptions } from './store.ts';

// Retries of jobs: a job row runs only once; each further attempt is a new row with the same name.

export type ClonedJob = Columns<'jobs', 'id' | 'name' | 'run_when' | 'environment' | 'user_id'>;

/** The columns that a new attempt copies from the previous attempt. */
const CLONED_COLUMNS = [
  'project_id',
  'pipeline_id',
  'name',
  'stage',
  'stage_index',
  'run_when',
  'protected',
  'environment',
  'resource_group_id',
  'needs',
  'option_parts',
] as const;

/**
 * Inserts another attempt of each of these jobs as `created`, with its tags and variables, and marks the old rows as
 * retried. The caller must have read the jobs in this transaction as the latest attempts.
 */
export async function cloneJobs(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
  jobIds: readonly number[],
  userId: number | null,
): Promise<ClonedJob[]> {
  if (jobIds.length === 0) return [];
  const isInJobs = (column: string) => isInIds(uow, sql.ref(column), jobIds);
  const allowedToFailIds = await filterAllowedToFail(uow, jobIds);
  // index: jobs primary key
  await uow.updateTable('jobs').set({ retried: true, updated_at: uow.now }).where(isInJobs('id')).execute();
  const clones = await uow
    .insertInto('jobs')
    .columns([
      ...CLONED_COLUMNS,
      'timeout',
      'allow_failure',
      'status',
      'retried',
      'user_id',
      'created_at',
      'updated_at',
    ])
    .expression((eb) =>
      eb
        .selectFrom('jobs as old')
        .select(CLONED_COLUMNS.map((name) => `old.${name}` as const))
        .select([
          // The start of a job overwrites `timeout` and moves the value of the CI file to `file_timeout`.
          sql<number | null>`case when old.started_at is null then old.timeout else old.file_timeout end`.as('timeout'),
          sql<boolean>`${isInIds(uow, sql.ref('old.id'), allowedToFailIds)}`.as('allow_failure'),
          sql.lit<'created'>('created').as('status'),
          sql<boolean>`false`.as('retried'),
          sql<number | null>`cast(${userId} as bigint)`.as('user_id'),
          sql<string>`${uow.now}`.as('created_at'),
          sql<string>`${uow.now}`.as('updated_at'),
        ])
        .where(isInJobs('old.id'))
        .orderBy('old.id'),
    )
    .returning(['id', 'name', 'run_when', 'environment', 'user_id'])
    .execute();
  await copyTagsAndVariables(uow, pipeline.pipeline_id, isInJobs('old.id'));
  await createEnvironmentsForJobs(uow, pipeline, clones);
  return clones;
}

/** Returns the jobs that are allowed to fail regardless of their exit code. */
async function filterAllowedToFail(tx: Transaction, jobIds: readonly number[]): Promise<number[]> {
  // index: jobs primary key
  const rows = await tx
    .selectFrom('jobs')
    .select(['id', 'exit_code'])
    .where(isInIds(tx, sql.ref('id'), jobIds))
    .where('allow_failure', '=', true)
    .execute();
  const idsWithExitCode = rows.filter(({ exit_code }) => exit_code !== null).map(({ id }) => id);
  const options = await loadProcessingOptions(tx, idsWithExitCode);
  return rows.filter(({ id }) => !dependsOnExitCode(options.get(id))).map(({ id }) => id);
}

function dependsOnExitCode(options: ProcessingOptions | undefined): boolean {
  return (options?.allow_failure_exit_codes ?? []).length > 0;
}

/** Copies tags and variables to the new attempts. index: jobs_latest_by_name, job_tags_pkey, job_variables_by_key */
async function copyTagsAndVariables(
  tx: Transaction,
  pipelineId: number,
  isOldJob: ReturnType<typeof isInIds>,
): Promise<void> {
  const clones = sql`jobs as old inner join jobs as clone
    on clone.pipeline_id = ${pipelineId} and clone.name = old.name and not clone.retried`;
  await sql`insert into job_tags (job_id, name, position)
    select clone.id, job_tags.name, job_tags.position from ${clones}
    inner join job_tags on job_tags.job_id = old.id where ${isOldJob}`.execute(tx);
  await sql<SqlBool>`insert into job_variables (job_id, key, value)
    select clone.id, job_variables.key, job_variables.value from ${clones}
    inner join job_variables on job_variables.job_id = old.id where ${isOldJob}`.execute(tx);
}
