import { type Selectable, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { expandJsonTexts, isInIds } from '#database/dialect.ts';
import { type Params, prepare, prepareForIds, sortByIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';

// Job rows for entities and permission checks. The permissions are those of their pipelines.

/** A job without the large columns from the CI file and the columns that only runners and traces need. */
export type JobRow = Omit<
  Selectable<Schema['jobs']>,
  | 'option_parts'
  | 'needs'
  | 'environment_url'
  | 'token_digest'
  | 'file_timeout'
  | 'updated_at'
  | 'last_seen_at'
  | 'timeout'
  | 'exit_code'
  | 'trace_held'
  | 'trace_checksum'
  | 'trace_watched_at'
>;

export const jobColumns = [
  'jobs.id',
  'jobs.project_id',
  'jobs.pipeline_id',
  'jobs.name',
  'jobs.stage',
  'jobs.stage_index',
  'jobs.status',
  'jobs.run_when',
  'jobs.allow_failure',
  'jobs.retried',
  'jobs.protected',
  'jobs.user_id',
  'jobs.runner_id',
  'jobs.runner_manager_id',
  'jobs.failure_reason',
  'jobs.coverage',
  'jobs.environment',
  'jobs.resource_group_id',
  'jobs.trace_size',
  'jobs.debug_mode',
  'jobs.artifacts_expire_at',
  'jobs.scheduled_at',
  'jobs.queued_at',
  'jobs.started_at',
  'jobs.finished_at',
  'jobs.erased_at',
  'jobs.created_at',
] as const;

// index: jobs primary key
const findJobRow = prepare((db, value: Params<{ project: number; id: number }>) =>
  db
    .selectFrom('jobs')
    .select(jobColumns)
    .where('jobs.id', '=', value('id'))
    .where('jobs.project_id', '=', value('project')),
);

/** Returns the job with this id in the project, or null. Does not check permissions. */
export async function findJob(db: Reader, projectId: number, id: number): Promise<JobRow | null> {
  return (await findJobRow.first(db, { project: projectId, id })) ?? null;
}

// index: jobs primary key
const loadJobsById = prepareForIds<JobRow>((db, ids) =>
  db.selectFrom('jobs').select(jobColumns).where('jobs.id', 'in', ids),
);

/** Returns the existing jobs in the order of `ids`, with one query. */
export async function findJobs(db: Reader, ids: readonly number[]): Promise<JobRow[]> {
  return sortByIds(ids, await loadJobsById(db, ids));
}

/**
 * Loads the options of jobs by job id; a job without options is absent. `names` limits the result to the needed options, so that
 * other, large ones are not read; options that share a row are returned nevertheless. index: jobs primary key, job_option_parts primary key
 */
export async function loadJobOptions<Options extends object>(
  db: Reader,
  jobIds: readonly number[],
  names: readonly (keyof Options & string)[] | 'all' = 'all',
): Promise<Map<number, Partial<Options>>> {
  if (jobIds.length === 0) return new Map();
  const rows = await sql<{ id: number; name: string | null; value: string }>`
    select jobs.id, part.name, part.value
    from jobs cross join ${expandJsonTexts(db, sql.ref('jobs.option_parts'))} as element
    inner join job_option_parts as part on part.id = cast(element.value as bigint)
    where ${isInIds(db, sql.ref('jobs.id'), jobIds)}
    ${names === 'all' ? sql`` : sql`and (part.name is null or part.name in (${sql.join(names)}))`}`.execute(db);
  const optionsByJobId = new Map<number, Partial<Options>>();
  for (const { id, name, value } of rows.rows) {
    const partValue = JSON.parse(value);
    optionsByJobId.set(id, { ...optionsByJobId.get(id), ...(name === null ? partValue : { [name]: partValue }) });
  }
  return optionsByJobId;
}
