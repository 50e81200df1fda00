import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { Schema } from '#database/schema.ts';
import { loadJobOptions } from '#domain/jobs.ts';
import { parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { selectSelfAndAncestors } from '#domain/namespaces/hierarchy.ts';
import { loadSettings } from '#settings/settings.ts';
import type { JobOptions } from '../ci-file/index.ts';

/** A file that a job has stored, without its format and creation time. */
export type Artifact = Pick<
  Selectable<Schema['job_artifacts']>,
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

/** Returns the artifact of a job with this file type, or null. index: job_artifacts_by_job */
export async function findArtifact(db: Reader, jobId: number, fileType: string): Promise<Artifact | null> {
  const artifact = await db
    .selectFrom('job_artifacts')
    .select(artifactColumns)
    .where('job_id', '=', jobId)
    .where('file_type', '=', fileType)
    .executeTakeFirst();
  return artifact ?? null;
}

/**
 * Returns the ids of the latest attempts of the named job in these pipelines that have an archive, latest pipeline
 * first.
 * index: jobs_latest_by_name, job_artifacts_by_job
 */
export async function listJobsWithArchive(db: Reader, pipelineIds: readonly number[], name: string): Promise<number[]> {
  const jobs = await db
    .selectFrom('jobs')
    .innerJoin('job_artifacts', 'job_artifacts.job_id', 'jobs.id')
    .select('jobs.id')
    .where(isInIds(db, sql<number>`jobs.pipeline_id`, pipelineIds))
    .where('jobs.name', '=', name)
    .where(sql<SqlBool>`not jobs.retried`)
    .where('job_artifacts.file_type', '=', 'archive')
    .orderBy('jobs.pipeline_id', 'desc')
    .execute();
  return jobs.map(({ id }) => id);
}

/** Inserts an artifact. The caller must have registered its blob in this transaction. */
export async function insertArtifact(
  tx: Transaction,
  artifact: Omit<Insertable<Schema['job_artifacts']>, 'created_at'>,
): Promise<void> {
  await tx
    .insertInto('job_artifacts')
    .values({ ...artifact, created_at: tx.now })
    .execute();
}

/** Sets the expiry in the row of the job, not in those of its artifacts; null: never. */
export async function setArtifactsExpiry(tx: Transaction, jobId: number, expireAt: string | null): Promise<void> {
  await tx.updateTable('jobs').set({ artifacts_expire_at: expireAt }).where('id', '=', jobId).execute();
}

/**
 * Returns who may download the artifacts of a job, from its CI file (`artifacts:access`, `artifacts:public`).
 * index: jobs primary key
 */
export async function getAccessibility(db: Reader, jobId: number): Promise<Artifact['accessibility']> {
  const options = await loadJobOptions<JobOptions>(db, [jobId], ['artifacts']);
  return ACCESSIBILITY_BY_KEYWORD[options.get(jobId)?.artifacts?.access ?? 'all'];
}

const ACCESSIBILITY_BY_KEYWORD = {
  all: 'public',
  developer: 'private',
  maintainer: 'maintainer',
  none: 'none',
} as const;

/** Removes the expiry of all artifacts of a job. index: job_artifacts_by_job */
export async function keepAllArtifacts(tx: Transaction, jobId: number): Promise<void> {
  await setArtifactsExpiry(tx, jobId, null);
  await tx.updateTable('job_artifacts').set({ expire_at: null }).where('job_id', '=', jobId).execute();
}

/** Deletes all artifacts of a job except its log. index: job_artifacts_by_job */
export async function deleteArtifacts(tx: Transaction, jobId: number): Promise<void> {
  await tx.deleteFrom('job_artifacts').where('job_id', '=', jobId).where('file_type', '!=', 'trace').execute();
  await setArtifactsExpiry(tx, jobId, null);
}

/**
 * Returns the artifact size limit of a project in MiB: the value of the project, of the nearest group that sets one, or
 * of the setting.
 */
export async function getMaxArtifactSizeMib(db: Reader, projectId: number): Promise<number> {
  // index: projects primary key
  const project = await db
    .selectFrom('projects')
    .select(['namespace_id', 'attributes'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const projectLimit = parseStoredAttributes(project).max_artifacts_size;
  if (projectLimit !== null) return projectLimit;
  const namespaces = await selectSelfAndAncestors(db, project.namespace_id)
    .select('namespaces.attributes')
    .orderBy('namespace_closure.depth')
    .execute();
  const groupLimits = namespaces.map(({ attributes }) => parseGroupAttributes(attributes).max_artifacts_size);
  return groupLimits.find((limit) => limit !== null) ?? (await loadSettings(db)).max_artifacts_size;
}

/** Lists expired artifacts by expiry and id, after the cursor; null: from the start. index: job_artifacts_by_expiry */
export async function listExpiredArtifacts(
  db: Reader,
  cursor: { readonly expire_at: string; readonly id: number } | null,
  now: string,
  limit: number,
): Promise<{ readonly id: number; readonly job_id: number; readonly expire_at: string }[]> {
  const rows = await db
    .selectFrom('job_artifacts')
    .select(['id', 'job_id', 'expire_at'])
    .where('expire_at', '<=', now)
    .$if(cursor !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb('expire_at', '>', cursor?.expire_at ?? ''),
          eb.and([eb('expire_at', '=', cursor?.expire_at ?? ''), eb('id', '>', cursor?.id ?? 0)]),
        ]),
      ),
    )
    .orderBy('expire_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.flatMap(({ expire_at, ...row }) => (expire_at === null ? [] : [{ ...row, expire_at }]));
}

/** Deletes an expired artifact, unless its expiry was removed in the meantime. */
export async function deleteExpiredArtifact(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('job_artifacts').where('id', '=', id).where('expire_at', '<=', tx.now).execute();
}
