import { type SqlBool, sql } from 'kysely';
import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { Reader } from '#database/database.ts';

/** Does the project keep what this job has left, for its pipeline is the latest of the ref that succeeded? index: jobs primary key */
export async function isLatestKept(db: Reader, jobId: number): Promise<boolean> {
  const found = await db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .select(['pipelines.id', 'pipelines.project_id', 'pipelines.ref', 'pipelines.tag', 'projects.attributes'])
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
  if (found === undefined || !storedAttributes(found).keep_latest_artifact) return false;
  return (await latestSuccess(db, found.project_id, found.ref, found.tag)) === found.id;
}

/** The newest pipeline of a ref that has succeeded: a branch, a tag, or whichever has this name. index: pipelines_successful */
export async function latestSuccess(db: Reader, projectId: number, ref: string, tag?: boolean): Promise<number | null> {
  const latest = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('ref', '=', ref)
    .$if(tag !== undefined, (query) => query.where('tag', '=', tag ?? false))
    // Written out, because only so does the index of those serve.
    .where(sql<SqlBool>`status = 'success'`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return latest?.id ?? null;
}

/** Is what this job has left past its time, which is null where there is none, and the project doesn't keep it? */
export async function hasLapsed(db: Reader, jobId: number, expireAt: string | null, now: string): Promise<boolean> {
  return expireAt !== null && expireAt <= now && !(await isLatestKept(db, jobId));
}
