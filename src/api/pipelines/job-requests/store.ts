import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { topOf } from '#domain/namespaces/hierarchy.ts';
import type { JobOptions } from '../ci-file/index.ts';

/** What a job is made of, for its runner. index: jobs primary key, pipelines primary key, pipeline_triggers primary key, pipeline_schedules primary key */
export async function readWork(db: Reader, jobId: number) {
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
      'jobs.options',
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
  const { options, needs, ...work } = row;
  return {
    ...work,
    options: JSON.parse(options) as Partial<JobOptions>,
    needs: needs === null ? null : (JSON.parse(needs) as Need[]),
  };
}

interface Need {
  readonly job: string;
  readonly artifacts?: boolean;
}

export type Work = NonNullable<Awaited<ReturnType<typeof readWork>>>;

/** A job on whose files another one depends. */
export interface Dependency {
  readonly id: number;
  readonly name: string;
  readonly erased_at: string | null;
  readonly artifacts_expire_at: string | null;
  /** Of its archive; null: it has none. */
  readonly filename: string | null;
  readonly size: number | null;
}

/**
 * The jobs whose files a job gets: those that it needs, else those that it names, else all of the stages before
 * (contract/runners.md §3.3). index: jobs_latest_by_name, job_artifacts_by_job
 */
export async function dependenciesOf(db: Reader, work: Work): Promise<Dependency[]> {
  const earlier = db
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
    .where('jobs.pipeline_id', '=', work.pipeline_id)
    .where(sql<boolean>`not jobs.retried`)
    .orderBy('jobs.id');
  const names = wantedNames(work);
  if (names !== null && names.length === 0) return [];
  const rows = await earlier.execute();
  const others = rows.filter(({ id }) => id !== work.id);
  if (names === null) return others.filter(({ stage_index }) => stage_index < work.stage_index);
  const wanted = new Set(names);
  return others.filter(({ name }) => wanted.has(name) || wanted.has(name.replace(/ \d{1,4}\/\d{1,4}$/, '')));
}

/** null: nobody has said. */
function wantedNames({ needs, options }: Work): readonly string[] | null {
  if (needs !== null) return needs.filter(({ artifacts }) => artifacts !== false).map(({ job }) => job);
  return options.dependencies ?? null;
}

/** The id of the group, or of the user's own namespace, that is above all others of a project. */
export async function rootOf(db: Reader, namespaceId: number): Promise<number> {
  return (await topOf(db, namespaceId).select('namespaces.id').executeTakeFirstOrThrow()).id;
}

/** index: job_variables_by_key */
export function jobVariables(db: Reader, jobId: number) {
  return db.selectFrom('job_variables').select(['key', 'value']).where('job_id', '=', jobId).orderBy('id').execute();
}

/** The open merge requests from a branch, as many as a variable names. index: merge_requests_by_source_branch */
export async function openMergeRequestsFrom(db: Reader, projectId: number, branch: string): Promise<string[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .innerJoin('routes', 'routes.project_id', 'merge_requests.project_id')
    .select(['routes.full_path', 'merge_requests.iid'])
    .where('merge_requests.project_id', '=', projectId)
    .where('merge_requests.source_branch', '=', branch)
    .where('merge_requests.state', '=', 'opened')
    .orderBy('merge_requests.id')
    .limit(4)
    .execute();
  return rows.map(({ full_path, iid }) => `${full_path}!${iid}`);
}
