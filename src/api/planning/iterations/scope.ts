import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { reachOf } from '#domain/namespaces/scope.ts';
import { findIteration } from './store.ts';

/** The iteration of this id, if issues of the project can have it: it is of a group that the project is in. */
export async function iterationInReach(db: Reader, project: Project, id: number): Promise<number | null> {
  return (await findIteration(db, (await reachOf(db, { project })).groupIds, id))?.id ?? null;
}
