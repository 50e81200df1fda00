import { sql } from 'kysely';
import type { Columns, Reader } from '#database/database.ts';
import { loadJobOptions } from '#domain/jobs.ts';
import { selectRootNamespace } from '#domain/namespaces/hierarchy.ts';
import type { JobOptions } from '../ci-file/index.ts';

/**
 * Returns a job with the data that its runner needs, or null.
 * index: jobs primary key, pipelines primary key, pipeline_triggers primary key, pipeline_schedules primary key
 */
export async function findRunnableJob(db: Reader, jobId: number) {
  const row = await db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .leftJoin('users', 'users.id', 'jobs.user_id')
    .leftJoin('pipeline_triggers', 'pipeline_triggers.id', 'pipelines.trigger_id')
    .leftJoin('pipeline_schedules', 'pipeline_schedules.id', 'pipelines.schedule_id')
    .select([
      'jobs.id',
      'jobs.project_id',
      'jobs.pipeline_id',
      'jobs.name',
      'jobs.stage',
      'jobs.stage_index',
      'jobs.run_when',
      'jobs.protected',
      'jobs.timeout',
      'jobs.environment',
      'jobs.needs',
      'jobs.queued_at',
      'jobs.created_at',
      'pipelines.iid',
      'pipelines.ref',
      'pipelines.tag',
      'pipelines.sha',
      'pipelines.before_sha',
      'pipelines.source',
      'pipelines.created_at as pipeline_created_at',
      'pipeline_triggers.short_token as trigger_token',
      'pipeline_schedules.description as schedule_description',
      'users.id as user_id',
      'users.username',
      'users.name as user_name',
      'users.email as user_email',
      'users.state as user_state',
      'users.admin as user_admin',
    ])
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { needs, ...job } = row;
  return {
    ...job,
    options: (await loadJobOptions<JobOptions>(db, [jobId])).get(jobId) ?? {},
    needs: needs === null ? null : (JSON.parse(needs) as StoredJobNeed[]),
  };
}

interface StoredJobNeed {
  readonly job: string;
  readonly artifacts?: boolean;
}

export type RunnableJob = NonNullable<Awaited<ReturnType<typeof findRunnableJob>>>;

/** A job whose artifacts another job uses. */
export interface JobDependency extends Columns<'jobs', 'id' | 'name' | 'erased_at' | 'artifacts_expire_at'> {
  /** File name of its archive; null: no archive. */
  readonly filename: string | null;
  readonly size: number | null;
}

/**
 * Lists the jobs whose artifacts a job receives: its needs, else its `dependencies`, else all jobs of earlier stages
 * (contract/runners.md §3.3). index: jobs_latest_by_name, job_artifacts_by_job
 */
export async function listDependencies(db: Reader, job: RunnableJob): Promise<JobDependency[]> {
  const latestJobsQuery = db
    .selectFrom('jobs')
    .leftJoin('job_artifacts', (join) =>
      join.onRef('job_artifacts.job_id', '=', 'jobs.id').on('job_artifacts.file_type', '=', 'archive'),
    )
    .select([
      'jobs.id',
      'jobs.name',
      'jobs.stage_index',
      'jobs.erased_at',
      'jobs.artifacts_expire_at',
      'job_artifacts.filename',
      'job_artifacts.size',
    ])
    .where('jobs.pipeline_id', '=', job.pipeline_id)
    .where(sql<boolean>`not jobs.retried`)
    .orderBy('jobs.id');
  const names = listDependencyNames(job);
  if (names !== null && names.length === 0) return [];
  const rows = await latestJobsQuery.execute();
  const otherJobs = rows.filter(({ id }) => id !== job.id);
  if (names === null) return otherJobs.filter(({ stage_index }) => stage_index < job.stage_index);
  // The name of a parallel job, such as `unit`, selects all its parts (`unit 1/3`).
  const nameSet = new Set(names);
  return otherJobs.filter(({ name }) => nameSet.has(name) || nameSet.has(name.replace(/ \d{1,4}\/\d{1,4}$/, '')));
}

/** Returns the names of the jobs whose artifacts are needed, or null if neither `needs` nor `dependencies` is set. */
function listDependencyNames({ needs, options }: RunnableJob): readonly string[] | null {
  if (needs !== null) return needs.filter(({ artifacts }) => artifacts !== false).map(({ job }) => job);
  return options.dependencies ?? null;
}

/** Returns the id of the root namespace of a namespace. */
export async function getRootNamespaceId(db: Reader, namespaceId: number): Promise<number> {
  return (await selectRootNamespace(db, namespaceId).select('namespaces.id').executeTakeFirstOrThrow()).id;
}

/** Lists the variables given with a job, encrypted. index: job_variables_by_key */
export function listJobVariables(db: Reader, jobId: number) {
  return db.selectFrom('job_variables').select(['key', 'value']).where('job_id', '=', jobId).orderBy('id').execute();
}

/** Maximum number of references in `CI_OPEN_MERGE_REQUESTS`. */
const MAX_OPEN_MERGE_REQUESTS = 4;

/**
 * Lists references of open merge requests from a branch, oldest first.
 * index: merge_requests_by_source_branch
 */
export async function listOpenMergeRequestReferences(db: Reader, projectId: number, branch: string): Promise<string[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .innerJoin('routes', 'routes.project_id', 'merge_requests.project_id')
    .select(['routes.full_path', 'merge_requests.iid'])
    .where('merge_requests.project_id', '=', projectId)
    .where('merge_requests.source_branch', '=', branch)
    .where('merge_requests.state', '=', 'opened')
    .orderBy('merge_requests.id')
    .limit(MAX_OPEN_MERGE_REQUESTS)
    .execute();
  return rows.map(({ full_path, iid }) => `${full_path}!${iid}`);
}
