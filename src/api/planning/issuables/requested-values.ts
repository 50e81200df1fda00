import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { milestoneInReach } from './milestones.ts';

/** What things have after a caller's wish: of what is out of reach, nothing changes. */

/** Nothing was sent: undefined. 0 and null clear it. */
export async function wishedMilestone(
  uow: UnitOfWork,
  project: Project,
  before: number | null,
  wanted: number | null | undefined,
): Promise<number | null> {
  if (wanted === undefined) return before;
  return wanted ? ((await milestoneInReach(uow, project, wanted)) ?? before) : null;
}

/** As `wishedUsers`; on free one assignee is enough. */
export async function wishedAssignees(
  { tier }: UnitOfWork,
  ...wish: Parameters<typeof wishedUsers>
): Promise<readonly number[]> {
  const now = await wishedUsers(...wish);
  return tier === 'free' ? now.slice(0, 1) : now;
}

/**
 * Who shall be assignees or reviewers of a thing. Nothing was sent: null. Of those who come, `readersAmong` lets in who can
 * read it; if nobody is left of whom somebody wants, nothing changes.
 */
export async function wishedUsers(
  before: readonly number[],
  wanted: readonly number[] | null,
  readersAmong: (ids: readonly number[]) => Promise<readonly number[]>,
): Promise<readonly number[]> {
  if (wanted === null) return before;
  const come = wanted.filter((id) => id > 0 && !before.includes(id));
  const readers = new Set(await readersAmong(come));
  const now = [...new Set(wanted)].filter((id) => before.includes(id) || readers.has(id));
  return now.length === 0 && wanted.some((id) => id > 0) ? before : now;
}
