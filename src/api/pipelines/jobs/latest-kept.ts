import type { Reader } from '../../../database/database.ts';
import { storedAttributes } from '../../places/projects/index.ts';

/**
 * Does the project keep what this job has left, for its pipeline is the latest of the ref that succeeded? index: jobs primary
 * key, pipelines_by_ref
 */
export async function isLatestKept(db: Reader, jobId: number): Promise<boolean> {
  const found = await db
    .selectFrom('jobs')
    .innerJoin('pipelines', 'pipelines.id', 'jobs.pipeline_id')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .select(['pipelines.id', 'pipelines.project_id', 'pipelines.ref', 'pipelines.tag', 'projects.attributes'])
    .where('jobs.id', '=', jobId)
    .executeTakeFirst();
  if (found === undefined || !storedAttributes(found).keep_latest_artifact) return false;
  return (await latestSuccess(db, found)) === found.id;
}

async function latestSuccess(
  db: Reader,
  { project_id, ref, tag }: { readonly project_id: number; readonly ref: string; readonly tag: boolean },
): Promise<number | null> {
  const latest = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('tag', '=', tag)
    .where('status', '=', 'success')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return latest?.id ?? null;
}

/** Is what this job has left past its time, which is null where there is none, and the project doesn't keep it? */
export async function hasLapsed(db: Reader, jobId: number, expireAt: string | null, now: string): Promise<boolean> {
  return expireAt !== null && expireAt <= now && !(await isLatestKept(db, jobId));
}
