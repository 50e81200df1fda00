import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { reachOf } from '#domain/namespaces/scope.ts';
import { findMilestone, findMilestoneTitled, milestonesById } from '../milestones/index.ts';

/** The milestone of this id, if things of the project can have it; null otherwise. */
export async function milestoneInReach(db: Reader, project: Project, id: number): Promise<number | null> {
  return (await findMilestone(db, await reachOf(db, { project }), id))?.id ?? null;
}

/** What things of the project can have with the same title as this milestone; null without any. */
export async function milestoneLike(db: Reader, project: Project, id: number): Promise<number | null> {
  const title = (await milestonesById(db, [id])).get(id)?.title ?? '';
  return (await findMilestoneTitled(db, await reachOf(db, { project }), title))?.id ?? null;
}
