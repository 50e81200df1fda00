import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findMilestone, findMilestoneByTitle, loadMilestonesById } from '../milestones/index.ts';

/** Returns the milestone after the update. Undefined and a milestone out of scope keep the current milestone; 0 and null clear it. */
export async function resolveMilestone(
  uow: UnitOfWork,
  project: Project,
  currentId: number | null,
  requestedId: number | null | undefined,
): Promise<number | null> {
  if (requestedId === undefined) return currentId;
  return requestedId ? ((await findMilestoneIdInScope(uow, project, requestedId)) ?? currentId) : null;
}

/** Returns the assignees after the update, as `resolveUsers` does, but only the first one on the free tier. */
export async function resolveAssignees(
  { tier }: UnitOfWork,
  ...args: Parameters<typeof resolveUsers>
): Promise<readonly number[]> {
  const resolvedIds = await resolveUsers(...args);
  return tier === 'free' ? resolvedIds.slice(0, 1) : resolvedIds;
}

/**
 * Returns the assignees or reviewers after the update. `requestedIds` is null if the request does not set them. New users are added only
 * if `filterReaders` returns them. If none of the requested users can be set, the current users stay.
 */
export async function resolveUsers(
  currentIds: readonly number[],
  requestedIds: readonly number[] | null,
  filterReaders: (ids: readonly number[]) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  if (requestedIds === null) return currentIds;
  const newIds = requestedIds.filter((id) => id > 0 && !currentIds.includes(id));
  const readerIds = new Set(await filterReaders(newIds));
  const resolvedIds = [...new Set(requestedIds)].filter((id) => currentIds.includes(id) || readerIds.has(id));
  return resolvedIds.length === 0 && requestedIds.some((id) => id > 0) ? currentIds : resolvedIds;
}

/** Returns the id of the milestone if it belongs to the project or an ancestor group, else null. */
async function findMilestoneIdInScope(db: Reader, project: Project, id: number): Promise<number | null> {
  return (await findMilestone(db, await ancestorsAndSelf(db, { project }), id))?.id ?? null;
}

/** Returns the id of the milestone of the project or an ancestor group that has the same title, or null. */
export async function findMilestoneIdWithSameTitle(db: Reader, project: Project, id: number): Promise<number | null> {
  const title = (await loadMilestonesById(db, [id])).get(id)?.title ?? '';
  return (await findMilestoneByTitle(db, await ancestorsAndSelf(db, { project }), title))?.id ?? null;
}
