import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { findIteration } from './store.ts';

/** Returns the id if the iteration belongs to an ancestor group of the project, so that its issues can have it; else null. */
export async function findIterationIdForProject(db: Reader, project: Project, id: number): Promise<number | null> {
  return (await findIteration(db, (await ancestorsAndSelf(db, { project })).groupIds, id))?.id ?? null;
}
