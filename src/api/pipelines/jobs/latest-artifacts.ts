import { type SqlBool, sql } from 'kysely';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader } from '#database/database.ts';

/**
 * Returns whether the project keeps the artifacts of this job, because its pipeline is the latest successful one of the
 * ref.
 * index: jobs primary key
 */
export async function isLatestArtifact(db: Reader, jobId: number): Promise<boolean> {
  const row = await db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .select(['pipelines.id', 'pipelines.project_id', 'pipelines.ref', 'pipelines.tag', 'projects.attributes'])
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
  if (row === undefined || !parseStoredAttributes(row).keep_latest_artifact) return false;
  return (await findLatestSuccessfulPipelineId(db, row.project_id, row.ref, row.tag)) === row.id;
}

/** Returns the id of the latest successful pipeline of a ref; `tag` restricts it to a tag or branch. */
export async function findLatestSuccessfulPipelineId(
  db: Reader,
  projectId: number,
  ref: string,
  tag?: boolean,
): Promise<number | null> {
  const [latest] = await selectSuccessfulPipelines(db, projectId, ref)
    .$if(tag !== undefined, (query) => query.where('tag', '=', tag ?? false))
    .limit(1)
    .execute();
  return latest?.id ?? null;
}

/** Returns the ids of at most `limit` successful pipelines of a branch or tag, latest first. */
export async function listSuccessfulPipelineIds(
  db: Reader,
  projectId: number,
  ref: string,
  limit: number,
): Promise<number[]> {
  const pipelines = await selectSuccessfulPipelines(db, projectId, ref).limit(limit).execute();
  return pipelines.map(({ id }) => id);
}

/** index: pipelines_successful */
const selectSuccessfulPipelines = (db: Reader, projectId: number, ref: string) =>
  db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    // Written as a literal, so that the partial index is used.
    .where(sql<SqlBool>`status = 'success'`)
    .orderBy('id', 'desc');

/**
 * Returns whether the artifacts of a job have expired and the project does not keep them; `expireAt` null: never
 * expires.
 */
export async function hasExpired(db: Reader, jobId: number, expireAt: string | null, now: string): Promise<boolean> {
  return expireAt !== null && expireAt <= now && !(await isLatestArtifact(db, jobId));
}
