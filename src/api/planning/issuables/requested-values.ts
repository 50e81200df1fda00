import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findUsableMilestone } from './milestones.ts';

/** Resolves the values of a request. Values that the issuable cannot have leave it unchanged. */

/** Returns the milestone after the change. Undefined keeps it; 0 and null clear it. */
export async function resolveMilestone(
  uow: UnitOfWork,
  project: Project,
  before: number | null,
  requestedId: number | null | undefined,
): Promise<number | null> {
  if (requestedId === undefined) return before;
  return requestedId ? ((await findUsableMilestone(uow, project, requestedId)) ?? before) : null;
}

/** Like `resolveUsers`, but on the free tier only the first assignee counts. */
export async function resolveAssignees(
  { tier }: UnitOfWork,
  ...args: Parameters<typeof resolveUsers>
): Promise<readonly number[]> {
  const after = await resolveUsers(...args);
  return tier === 'free' ? after.slice(0, 1) : after;
}

/**
 * Returns the assignees or reviewers after the change. `requestedIds` is null if the request has none. Of the new users only those that
 * `readersAmong` returns are added. If no requested user is left, nothing changes.
 */
export async function resolveUsers(
  before: readonly number[],
  requestedIds: readonly number[] | null,
  readersAmong: (ids: readonly number[]) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  if (requestedIds === null) return before;
  const newIds = requestedIds.filter((id) => id > 0 && !before.includes(id));
  const readers = new Set(await readersAmong(newIds));
  const after = [...new Set(requestedIds)].filter((id) => before.includes(id) || readers.has(id));
  return after.length === 0 && requestedIds.some((id) => id > 0) ? before : after;
}
