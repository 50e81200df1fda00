import type { Insertable } from 'kysely';
import { registerBlob, storeBlob } from '#blobs/store.ts';
import type { Schema, Transaction } from '#database/database.ts';
import { allocateIid } from '#domain/iids.ts';
import { isFailure } from '#runtime/failure.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import type { World } from './world.ts';

// Inserts pipelines, jobs and runners directly, for tests that do not concern their creation.

type PipelineRow = Insertable<Schema['pipelines']>;
/** `options` is JSON. */
type JobRow = Insertable<Schema['jobs']> & { readonly options?: string };
type RunnerRow = Insertable<Schema['runners']>;

interface ProjectRef {
  readonly id: number;
  readonly owner?: { readonly id: number };
}

/** Inserts a pipeline on `main` that the project's owner started; returns its id. */
export async function insertPipelineRow(
  here: World,
  { id, owner }: ProjectRef,
  row: Partial<PipelineRow> = {},
): Promise<number> {
  const { database } = here.server.services;
  return database.transaction(async (tx) => {
    const values: PipelineRow = {
      project_id: id,
      iid: await allocateIid(tx, { projectId: id }, 'pipeline'),
      ref: 'main',
      tag: false,
      sha: 'a'.repeat(40),
      before_sha: '0'.repeat(40),
      source: 'push',
      origin: null,
      status: 'running',
      protected: false,
      user_id: owner?.id ?? null,
      yaml_errors: null,
      failure_reason: null,
      name: null,
      started_at: null,
      finished_at: null,
      created_at: tx.now,
      updated_at: tx.now,
      ...row,
    };
    return (await tx.insertInto('pipelines').values(values).returning('id').executeTakeFirstOrThrow()).id;
  });
}

/** Inserts a job with these tags, by default in a new pipeline; returns its id. */
export async function insertJobRow(
  here: World,
  project: ProjectRef,
  { tags = [], options = '{"script":["true"]}', ...row }: Partial<JobRow> & { readonly tags?: readonly string[] } = {},
): Promise<number> {
  const pipelineId = row.pipeline_id ?? (await insertPipelineRow(here, project));
  return here.server.services.database.transaction(async (tx) => {
    const values: JobRow = {
      project_id: project.id,
      pipeline_id: pipelineId,
      name: here.name('job'),
      stage: 'test',
      stage_index: 2,
      status: 'pending',
      run_when: 'on_success',
      allow_failure: false,
      retried: false,
      protected: false,
      user_id: project.owner?.id ?? null,
      queued_at: tx.now,
      created_at: tx.now,
      updated_at: tx.now,
      option_parts: await insertOptions(tx, pipelineId, options),
      ...row,
    } as JobRow;
    const { id } = await tx.insertInto('jobs').values(values).returning('id').executeTakeFirstOrThrow();
    for (const [position, name] of tags.entries())
      await tx.insertInto('job_tags').values({ job_id: id, name, position }).execute();
    return id;
  });
}

/** Stores the options (JSON) of a job; returns its `option_parts`. */
export async function insertOptions(tx: Transaction, pipelineId: number, options: string): Promise<string> {
  const part = { pipeline_id: pipelineId, name: null, value: options };
  const { id } = await tx.insertInto('job_option_parts').values(part).returning('id').executeTakeFirstOrThrow();
  return JSON.stringify([id]);
}

/** Inserts a running job; returns its id and job token. */
export async function runningJob(
  here: World,
  project: ProjectRef,
  row: Partial<JobRow> = {},
): Promise<{ readonly id: number; readonly token: string; readonly headers: { readonly 'JOB-TOKEN': string } }> {
  const token = generateToken('glcbt-');
  const now = here.clock.now().toISOString();
  const run = { status: 'running', token_digest: hashToken(token), started_at: now, last_seen_at: now } as const;
  const id = await insertJobRow(here, project, { ...run, timeout: 3600, ...row });
  return { id, token, headers: { 'JOB-TOKEN': token } };
}

/** Inserts a runner with these tags and projects, by default an instance runner; returns its id and token. */
export async function runnerRow(
  here: World,
  {
    tags = [],
    projects = [],
    ...row
  }: Partial<RunnerRow> & { readonly tags?: readonly string[]; readonly projects?: readonly number[] } = {},
): Promise<{ readonly id: number; readonly token: string }> {
  const token = generateToken('glrt-');
  const id = await here.server.services.database.transaction(async (tx) => {
    const values = {
      runner_type: projects.length > 0 ? 'project_type' : 'instance_type',
      token_digest: hashToken(token),
      registration_type: 'authenticated_user',
      paused: false,
      locked: false,
      run_untagged: true,
      access_level: 'not_protected',
      created_at: tx.now,
      updated_at: tx.now,
      ...row,
    } as RunnerRow;
    const made = await tx.insertInto('runners').values(values).returning('id').executeTakeFirstOrThrow();
    for (const [position, name] of tags.entries())
      await tx.insertInto('runner_tags').values({ runner_id: made.id, name, position }).execute();
    for (const project_id of projects)
      await tx.insertInto('runner_projects').values({ runner_id: made.id, project_id }).execute();
    return made.id;
  });
  return { id, token };
}

interface Archive {
  readonly content?: Buffer | string;
  readonly expire_at?: string | null;
}

/** Inserts a job, by default running, with an artifacts archive, by default of two bytes. */
export async function archivedJob(
  here: World,
  project: ProjectRef,
  { content = 'PK', expire_at = null, ...row }: Partial<JobRow> & Archive = {},
): ReturnType<typeof runningJob> {
  const job = await runningJob(here, project, { artifacts_expire_at: expire_at, ...row });
  const { blobs, database } = here.server.services;
  const blob = await storeBlob(blobs, Buffer.from(content));
  if (isFailure(blob)) throw new Error(blob.code);
  await database.transaction(async (tx) => {
    await registerBlob(tx, blob);
    const about = {
      file_type: 'archive',
      file_format: 'zip',
      filename: 'artifacts.zip',
      accessibility: 'public',
    } as const;
    const values = { job_id: job.id, project_id: project.id, ...about, ...blob, expire_at, created_at: tx.now };
    await tx.insertInto('job_artifacts').values(values).execute();
  });
  return job;
}

/** Inserts a resource group of this project; returns its id. */
export function resourceGroupRow(here: World, project: ProjectRef, key: string): Promise<number> {
  return here.server.services.database.transaction(async (tx) => {
    const mode = { process_mode: 'unordered' as const, created_at: tx.now, updated_at: tx.now };
    const group = { project_id: project.id, key, ...mode };
    return (await tx.insertInto('resource_groups').values(group).returning('id').executeTakeFirstOrThrow()).id;
  });
}
