import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { PipelinesTables } from '#database/tables/pipelines.ts';
import { groupAttributes } from '#domain/namespaces/group-attributes.ts';
import { itselfAndAbove } from '#domain/namespaces/hierarchy.ts';
import { readSettings } from '#settings/settings.ts';
import type { JobOptions } from '../ci-file/index.ts';

export type Artifact = Pick<
  Selectable<PipelinesTables['job_artifacts']>,
  'id' | 'job_id' | 'project_id' | 'file_type' | 'filename' | 'size' | 'sha256' | 'accessibility' | 'expire_at'
>;

const artifactColumns = [
  'id',
  'job_id',
  'project_id',
  'file_type',
  'filename',
  'size',
  'sha256',
  'accessibility',
  'expire_at',
] as const;

/** What a job has left of this kind; null: nothing. index: job_artifacts_by_job */
export async function findArtifact(db: Reader, jobId: number, fileType: string): Promise<Artifact | null> {
  const found = await db
    .selectFrom('job_artifacts')
    .select(artifactColumns)
    .where('job_id', '=', jobId)
    .where('file_type', '=', fileType)
    .executeTakeFirst();
  return found ?? null;
}

/** The latest attempt of the job with this name in a pipeline; null: it has none. index: jobs_latest_by_name */
export async function latestNamed(db: Reader, pipelineId: number, name: string): Promise<number | null> {
  const job = await db
    .selectFrom('jobs')
    .select('id')
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where(sql<SqlBool>`not retried`)
    .executeTakeFirst();
  return job?.id ?? null;
}

export async function insertArtifact(
  tx: Transaction,
  artifact: Omit<Insertable<PipelinesTables['job_artifacts']>, 'created_at'>,
): Promise<void> {
  await tx
    .insertInto('job_artifacts')
    .values({ ...artifact, created_at: tx.now })
    .execute();
}

/** When what the job has left goes; null: never. */
export async function setExpiry(tx: Transaction, jobId: number, expireAt: string | null): Promise<void> {
  await tx.updateTable('jobs').set({ artifacts_expire_at: expireAt }).where('id', '=', jobId).execute();
}

/** Who may have what a job leaves, as its CI file says (`artifacts:access`, `artifacts:public`). index: jobs primary key */
export async function accessibilityOf(db: Reader, jobId: number): Promise<Artifact['accessibility']> {
  const { options } = await db.selectFrom('jobs').select('options').where('id', '=', jobId).executeTakeFirstOrThrow();
  const { artifacts } = JSON.parse(options) as Partial<Pick<JobOptions, 'artifacts'>>;
  return IN_THE_FILE[artifacts?.access ?? 'all'];
}

const IN_THE_FILE = { all: 'public', developer: 'private', maintainer: 'maintainer', none: 'none' } as const;

/** All that a job has left stays until somebody deletes it. index: job_artifacts_by_job */
export async function keepAll(tx: Transaction, jobId: number): Promise<void> {
  await setExpiry(tx, jobId, null);
  await tx.updateTable('job_artifacts').set({ expire_at: null }).where('job_id', '=', jobId).execute();
}

/** All that a job has left but its log. index: job_artifacts_by_job */
export async function deleteArtifacts(tx: Transaction, jobId: number): Promise<void> {
  await tx.deleteFrom('job_artifacts').where('job_id', '=', jobId).where('file_type', '!=', 'trace').execute();
  await setExpiry(tx, jobId, null);
}

/** How large a file of a job of this project may be, in MiB: the project says so, else the nearest group that does, else the setting. */
export async function sizeLimitOf(db: Reader, projectId: number): Promise<number> {
  // index: projects primary key
  const project = await db
    .selectFrom('projects')
    .select(['namespace_id', 'attributes'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const own = storedAttributes(project).max_artifacts_size;
  if (own !== null) return own;
  const above = await itselfAndAbove(db, project.namespace_id)
    .select('namespaces.attributes')
    .orderBy('namespace_closure.depth')
    .execute();
  const sizes = above.map(({ attributes }) => groupAttributes(attributes).max_artifacts_size);
  return sizes.find((size) => size !== null) ?? (await readSettings(db)).max_artifacts_size;
}

/** What has expired, in the order of its moments, behind the last one that was looked at. index: job_artifacts_by_expiry */
export async function expiredArtifacts(
  db: Reader,
  after: { readonly expire_at: string; readonly id: number } | null,
  now: string,
  most: number,
): Promise<{ readonly id: number; readonly job_id: number; readonly expire_at: string }[]> {
  const rows = await db
    .selectFrom('job_artifacts')
    .select(['id', 'job_id', 'expire_at'])
    .where('expire_at', '<=', now)
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb('expire_at', '>', after?.expire_at ?? ''),
          eb.and([eb('expire_at', '=', after?.expire_at ?? ''), eb('id', '>', after?.id ?? 0)]),
        ]),
      ),
    )
    .orderBy('expire_at')
    .orderBy('id')
    .limit(most)
    .execute();
  return rows.flatMap(({ expire_at, ...row }) => (expire_at === null ? [] : [{ ...row, expire_at }]));
}

/** Unless somebody keeps it since. */
export async function deleteExpired(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('job_artifacts').where('id', '=', id).where('expire_at', '<=', tx.now).execute();
}
