import { findEpic, findReadableEpic } from '#authorization/epics.ts';
import { foldCase } from '#database/name-keys.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { MONTHS } from '#runtime/clock.ts';
import { findMilestoneByTitle, loadMilestonesById } from '../milestones/index.ts';
import { parseEpicReference, parseNames } from './arguments.ts';
import {
  applyChange,
  type CommandResult,
  ISSUES_ONLY,
  NOT_APPLICABLE,
  PROJECT_TYPES,
  type QuickAction,
  type QuickActionContext,
  TYPE_NAMES,
} from './command-context.ts';
import { parseDate } from './dates.ts';

// Quick actions for milestone, due date, weight, epic, confidentiality and the discussion lock.

const formatMilestone = (title: string) => `%"${title}"`;

async function setMilestone(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const { uow, subject } = context;
  const [reference] = argument.startsWith('%') ? parseNames(argument, '%') : [argument];
  if (!reference) return null;
  const milestone = await findMilestoneByTitle(uow, await ancestorsAndSelf(uow, subject.parent), reference);
  if (milestone === null) return null;
  applyChange(context, { milestone_id: milestone.id });
  context.changes.milestone_id = milestone.id;
  return `Set the milestone to ${formatMilestone(milestone.title)}.`;
}

async function removeMilestone(context: QuickActionContext): Promise<CommandResult> {
  const { milestone_id: id } = context.currentState;
  if (id === null) return NOT_APPLICABLE;
  const title = (await loadMilestonesById(context.uow, [id])).get(id)?.title ?? '';
  applyChange(context, { milestone_id: null });
  context.changes.milestone_id = null;
  return `Removed ${formatMilestone(title)} milestone.`;
}

/** Formats a day: `Feb 3, 2026`. */
function formatDay(day: string): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return `${MONTHS[month - 1]?.slice(0, 3)} ${date}, ${year}`;
}

function setDueDate(context: QuickActionContext, argument: string): CommandResult {
  if (argument === '') return null;
  const day = parseDate(argument, context.uow.today);
  if (day === null) return 'Failed to set due date because the date format is invalid.';
  applyChange(context, { due_date: day });
  context.changes.due_date = day;
  return `Set the due date to ${formatDay(day)}.`;
}

function removeDueDate(context: QuickActionContext): CommandResult {
  if (context.currentState.due_date === null) return NOT_APPLICABLE;
  applyChange(context, { due_date: null });
  context.changes.due_date = null;
  return 'Removed the due date.';
}

function setWeight(context: QuickActionContext, argument: string): CommandResult {
  if (context.uow.tier === 'free') return NOT_APPLICABLE;
  if (!/^\d{1,9}$/.test(argument)) return null;
  applyChange(context, { weight: Number(argument) });
  context.changes.weight = Number(argument);
  return `Set weight to ${Number(argument)}.`;
}

function clearWeight(context: QuickActionContext): CommandResult {
  if (context.uow.tier === 'free' || context.currentState.weight === null) return NOT_APPLICABLE;
  applyChange(context, { weight: null });
  context.changes.weight = null;
  return 'Cleared weight.';
}

const EPIC_NOT_FOUND = "This parent item does not exist or you don't have sufficient permission.";

/** Returns whether issues of the parent can have epics: from premium on, in projects of groups. */
const hasEpics = ({ uow, subject: { parent } }: QuickActionContext) =>
  uow.tier !== 'free' && parent.project?.namespace_kind === 'group';

async function setEpic(context: QuickActionContext, argument: string): Promise<CommandResult> {
  if (!hasEpics(context)) return NOT_APPLICABLE;
  if (argument === '') return null;
  const epicId = await findEpicId(context, argument);
  if (epicId === null) return EPIC_NOT_FOUND;
  applyChange(context, { epic_id: epicId });
  context.changes.epic = epicId;
  return 'Added an issue to an epic.';
}

/** Returns the id of a readable epic of an ancestor group, or null. index: routes_by_full_path */
async function findEpicId({ uow, subject: { parent } }: QuickActionContext, argument: string): Promise<number | null> {
  const reference = parseEpicReference(argument);
  if (reference === null) return null;
  const ancestorIds = (await ancestorsAndSelf(uow, parent)).groupIds;
  const route =
    reference.path === ''
      ? { namespace_id: parent.project?.namespace_id ?? 0 }
      : await uow
          .selectFrom('routes')
          .select('namespace_id')
          .where('full_path_key', '=', foldCase(reference.path))
          .executeTakeFirst();
  const groupId = route?.namespace_id ?? 0;
  const referencedEpic = ancestorIds.includes(groupId) ? await findEpic(uow, groupId, reference.iid) : null;
  return referencedEpic !== null && (await findReadableEpic(uow, uow.actor, referencedEpic.id))
    ? referencedEpic.id
    : null;
}

function removeEpic(context: QuickActionContext): CommandResult {
  if (!hasEpics(context) || context.currentState.epic_id === null) return NOT_APPLICABLE;
  applyChange(context, { epic_id: null });
  context.changes.epic = null;
  return 'Removed an issue from an epic.';
}

function makeConfidential(context: QuickActionContext): CommandResult {
  if (context.currentState.confidential) return NOT_APPLICABLE;
  applyChange(context, { confidential: true });
  context.changes.confidential = true;
  return `Made this ${TYPE_NAMES[context.subject.type]} confidential.`;
}

function setDiscussionLocked(context: QuickActionContext, locked: boolean): CommandResult {
  if ((context.currentState.discussion_locked === true) === locked) return NOT_APPLICABLE;
  applyChange(context, { discussion_locked: locked });
  context.changes.discussion_locked = locked;
  return locked ? 'Locked the discussion.' : 'Unlocked the discussion.';
}

export const PLANNING_ACTIONS = [
  {
    names: ['milestone'],
    noteableTypes: PROJECT_TYPES,
    availableAtCreation: true,
    requiredRight: 'manage',
    run: setMilestone,
  },
  { names: ['remove_milestone'], noteableTypes: PROJECT_TYPES, requiredRight: 'manage', run: removeMilestone },
  { names: ['due'], noteableTypes: ISSUES_ONLY, availableAtCreation: true, requiredRight: 'manage', run: setDueDate },
  { names: ['remove_due_date'], noteableTypes: ISSUES_ONLY, requiredRight: 'manage', run: removeDueDate },
  { names: ['weight'], noteableTypes: ISSUES_ONLY, availableAtCreation: true, requiredRight: 'manage', run: setWeight },
  { names: ['clear_weight'], noteableTypes: ISSUES_ONLY, requiredRight: 'manage', run: clearWeight },
  {
    names: ['epic', 'set_parent'],
    noteableTypes: ISSUES_ONLY,
    availableAtCreation: true,
    requiredRight: 'manage',
    run: setEpic,
  },
  { names: ['remove_epic'], noteableTypes: ISSUES_ONLY, requiredRight: 'manage', run: removeEpic },
  {
    names: ['confidential'],
    noteableTypes: ['Issue', 'Epic'],
    availableAtCreation: true,
    allowedToCreator: true,
    requiredRight: 'manage',
    run: makeConfidential,
  },
  {
    names: ['lock'],
    noteableTypes: PROJECT_TYPES,
    requiredRight: 'manage',
    run: (context) => setDiscussionLocked(context, true),
  },
  {
    names: ['unlock'],
    noteableTypes: PROJECT_TYPES,
    requiredRight: 'manage',
    run: (context) => setDiscussionLocked(context, false),
  },
] as const satisfies readonly QuickAction[];
