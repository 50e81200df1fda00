import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { findMilestone, findMilestoneByTitle, loadMilestonesById } from '../milestones/index.ts';

/** Returns the id of the milestone if it belongs to the project or an ancestor group, else null. */
export async function findMilestoneIdInScope(db: Reader, project: Project, id: number): Promise<number | null> {
  return (await findMilestone(db, await ancestorsAndSelf(db, { project }), id))?.id ?? null;
}

/** Returns the id of the milestone of the project or an ancestor group that has the same title, or null. */
export async function findMilestoneIdWithSameTitle(db: Reader, project: Project, id: number): Promise<number | null> {
  const title = (await loadMilestonesById(db, [id])).get(id)?.title ?? '';
  return (await findMilestoneByTitle(db, await ancestorsAndSelf(db, { project }), title))?.id ?? null;
}
