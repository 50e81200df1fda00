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

/**
 * Returns the id of the latest successful pipeline of a ref; `tag` restricts it to a tag or branch.
 * index: pipelines_successful
 */
export async function findLatestSuccessfulPipelineId(
  db: Reader,
  projectId: number,
  ref: string,
  tag?: boolean,
): Promise<number | null> {
  const latest = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .$if(tag !== undefined, (query) => query.where('tag', '=', tag ?? false))
    // Written as a literal, so that the partial index is used.
    .where(sql<SqlBool>`status = 'success'`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return latest?.id ?? null;
}

/**
 * Returns whether the artifacts of a job have expired and the project does not keep them; `expireAt` null: never
 * expires.
 */
export async function hasExpired(db: Reader, jobId: number, expireAt: string | null, now: string): Promise<boolean> {
  return expireAt !== null && expireAt <= now && !(await isLatestArtifact(db, jobId));
}
