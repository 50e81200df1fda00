import { findEpic, readableEpic } from '#authorization/epics.ts';
import { foldCase } from '#database/name-keys.ts';
import { reachOf } from '#domain/namespaces/scope.ts';
import { MONTHS } from '#runtime/clock.ts';
import { findMilestoneTitled, milestonesById } from '../milestones/index.ts';
import { epicNamed, namesIn } from './arguments.ts';
import { CALLED, type Doing, type Done, NOT_DONE, OF_PROJECTS, type Row } from './command-context.ts';
import { readDate } from './dates.ts';
import type { Moment } from './subject.ts';

/** Milestone, due date, weight, epic, confidentiality and the lock. */

function become(doing: Doing, change: Partial<Moment>): void {
  doing.now = { ...doing.now, ...change };
}

const quoted = (title: string) => `%"${title}"`;

async function milestone(doing: Doing, argument: string): Promise<Done> {
  const { uow, subject } = doing;
  const [named] = argument.startsWith('%') ? namesIn(argument, '%') : [argument];
  if (!named) return null;
  const found = await findMilestoneTitled(uow, await reachOf(uow, subject.place), named);
  if (found === null) return null;
  become(doing, { milestone_id: found.id });
  doing.changes.milestone_id = found.id;
  return `Set the milestone to ${quoted(found.title)}.`;
}

async function removeMilestone(doing: Doing): Promise<Done> {
  const { milestone_id: id } = doing.now;
  if (id === null) return NOT_DONE;
  const title = (await milestonesById(doing.uow, [id])).get(id)?.title ?? '';
  become(doing, { milestone_id: null });
  doing.changes.milestone_id = null;
  return `Removed ${quoted(title)} milestone.`;
}

/** `Feb 3, 2026` */
function written(day: string): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return `${MONTHS[month - 1]?.slice(0, 3)} ${date}, ${year}`;
}

function due(doing: Doing, argument: string): Done {
  if (argument === '') return null;
  const day = readDate(argument, doing.uow.today);
  if (day === null) return 'Failed to set due date because the date format is invalid.';
  become(doing, { due_date: day });
  doing.changes.due_date = day;
  return `Set the due date to ${written(day)}.`;
}

function removeDue(doing: Doing): Done {
  if (doing.now.due_date === null) return NOT_DONE;
  become(doing, { due_date: null });
  doing.changes.due_date = null;
  return 'Removed the due date.';
}

function weight(doing: Doing, argument: string): Done {
  if (doing.uow.tier === 'free') return NOT_DONE;
  if (!/^\d{1,9}$/.test(argument)) return null;
  become(doing, { weight: Number(argument) });
  doing.changes.weight = Number(argument);
  return `Set weight to ${Number(argument)}.`;
}

function clearWeight(doing: Doing): Done {
  if (doing.uow.tier === 'free' || doing.now.weight === null) return NOT_DONE;
  become(doing, { weight: null });
  doing.changes.weight = null;
  return 'Cleared weight.';
}

const NO_EPIC = "This parent item does not exist or you don't have sufficient permission.";

/** Epics are of premium, and of the groups above a project. */
const hasEpics = ({ uow, subject: { place } }: Doing) =>
  uow.tier !== 'free' && place.project?.namespace_kind === 'group';

async function epic(doing: Doing, argument: string): Promise<Done> {
  if (!hasEpics(doing)) return NOT_DONE;
  if (argument === '') return null;
  const found = await findNamed(doing, argument);
  if (found === null) return NO_EPIC;
  become(doing, { epic_id: found });
  doing.changes.epic = found;
  return 'Added an issue to an epic.';
}

/** The id of an epic of the groups above that the caller may read. index: routes_by_full_path */
async function findNamed({ uow, subject: { place } }: Doing, argument: string): Promise<number | null> {
  const named = epicNamed(argument);
  if (named === null) return null;
  const above = (await reachOf(uow, place)).groupIds;
  const route =
    named.path === ''
      ? { namespace_id: place.project?.namespace_id ?? 0 }
      : await uow
          .selectFrom('routes')
          .select('namespace_id')
          .where('full_path_key', '=', foldCase(named.path))
          .executeTakeFirst();
  const groupId = route?.namespace_id ?? 0;
  const found = above.includes(groupId) ? await findEpic(uow, groupId, named.iid) : null;
  return found !== null && (await readableEpic(uow, uow.actor, found.id)) ? found.id : null;
}

function removeEpic(doing: Doing): Done {
  if (!hasEpics(doing) || doing.now.epic_id === null) return NOT_DONE;
  become(doing, { epic_id: null });
  doing.changes.epic = null;
  return 'Removed an issue from an epic.';
}

function confidential(doing: Doing): Done {
  if (doing.now.confidential) return NOT_DONE;
  become(doing, { confidential: true });
  doing.changes.confidential = true;
  return `Made this ${CALLED[doing.subject.type]} confidential.`;
}

function lock(doing: Doing, locked: boolean): Done {
  if ((doing.now.discussion_locked === true) === locked) return NOT_DONE;
  become(doing, { discussion_locked: locked });
  doing.changes.discussion_locked = locked;
  return locked ? 'Locked the discussion.' : 'Unlocked the discussion.';
}

const OF_ISSUES = ['Issue'] as const;

export const PLANS = [
  { names: ['milestone'], on: OF_PROJECTS, atCreation: true, right: 'manage', run: milestone },
  { names: ['remove_milestone'], on: OF_PROJECTS, right: 'manage', run: removeMilestone },
  { names: ['due'], on: OF_ISSUES, atCreation: true, right: 'manage', run: due },
  { names: ['remove_due_date'], on: OF_ISSUES, right: 'manage', run: removeDue },
  { names: ['weight'], on: OF_ISSUES, atCreation: true, right: 'manage', run: weight },
  { names: ['clear_weight'], on: OF_ISSUES, right: 'manage', run: clearWeight },
  { names: ['epic', 'set_parent'], on: OF_ISSUES, atCreation: true, right: 'manage', run: epic },
  { names: ['remove_epic'], on: OF_ISSUES, right: 'manage', run: removeEpic },
  {
    names: ['confidential'],
    on: ['Issue', 'Epic'],
    atCreation: true,
    freeAtCreation: true,
    right: 'manage',
    run: confidential,
  },
  { names: ['lock'], on: OF_PROJECTS, right: 'manage', run: (doing) => lock(doing, true) },
  { names: ['unlock'], on: OF_PROJECTS, right: 'manage', run: (doing) => lock(doing, false) },
] as const satisfies readonly Row[];
