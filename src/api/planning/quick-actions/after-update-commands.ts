import { findEmojiName, toggleAward } from '../awards/index.ts';
import {
  addSpentTime,
  findSubscribedIds,
  formatWorkTime,
  parseWorkTime,
  resetSpentTime,
  resetTimeEstimate,
  setSubscribed,
  setTimeEstimate,
  TABLES_BY_TYPE,
} from '../issuables/index.ts';
import { hasPendingTodo, insertTodos, markTodosDone } from '../todo-rows/index.ts';
import {
  ALL_TYPES,
  applyChange,
  type CommandResult,
  NOT_APPLICABLE,
  PROJECT_TYPES,
  type QuickAction,
  type QuickActionContext,
} from './command-context.ts';
import { parseDate } from './dates.ts';

// Quick actions that are not part of the update and run after it: time tracking, to-do items, subscriptions, emoji.

/** Returns the noteable for time tracking. The cast is safe: these commands do not exist for epics. */
const toTimeTracked = ({ subject: { type } }: QuickActionContext, id: number) => ({
  type: type as 'Issue' | 'MergeRequest',
  id,
});

/** Sets the estimate; zero removes it, as in the API. */
function setEstimate(context: QuickActionContext, argument: string): CommandResult {
  const seconds = parseWorkTime(argument);
  if (seconds === 0) return removeEstimate(context);
  if (seconds === null || seconds < 0) return null;
  applyChange(context, { time_estimate: seconds });
  context.changes.time_estimate = seconds;
  context.afterUpdate.push((id) => setTimeEstimate(context.uow, toTimeTracked(context, id), argument));
  return `Set time estimate to ${formatWorkTime(seconds)}.`;
}

function removeEstimate(context: QuickActionContext): CommandResult {
  if (context.currentState.time_estimate === 0) return NOT_APPLICABLE;
  applyChange(context, { time_estimate: 0 });
  context.changes.time_estimate = 0;
  context.afterUpdate.push((id) => resetTimeEstimate(context.uow, toTimeTracked(context, id)));
  return 'Removed time estimate.';
}

/** Maximum number of words in a date, as in `the 3rd of december 2025`. */
const MAX_DATE_WORDS = 5;

/** Adds spent time: a duration, optionally followed by a day that is not in the future. */
function addTimeSpent(context: QuickActionContext, argument: string): CommandResult {
  const { uow } = context;
  const { duration, day } = splitDurationAndDay(argument, uow.today);
  const seconds = parseWorkTime(duration);
  if (seconds === null || seconds === 0 || (day !== null && day > uow.today)) return null;
  applyChange(context, { total_time_spent: context.currentState.total_time_spent + seconds });
  const spent_at = day === null ? uow.now : `${day}T00:00:00.000Z`;
  context.changes.spend_time = { duration: seconds, user_id: uow.actor.user.id, spent_at };
  context.afterUpdate.push((id) => addSpentTime(uow, toTimeTracked(context, id), duration, day ?? uow.today));
  return `${seconds < 0 ? 'Subtracted' : 'Added'} ${formatWorkTime(Math.abs(seconds))} spent time.`;
}

/** Splits the argument into a duration and a day. The day is the longest suffix that is a date, else null. */
function splitDurationAndDay(argument: string, today: string): { duration: string; day: string | null } {
  const words = argument.split(/\s/);
  for (let wordCount = Math.min(words.length - 1, MAX_DATE_WORDS); wordCount > 0; wordCount--) {
    const day = parseDate(words.slice(-wordCount).join(' '), today);
    if (day !== null) return { duration: words.slice(0, -wordCount).join(' '), day };
  }
  return { duration: argument, day: null };
}

function removeTimeSpent(context: QuickActionContext): CommandResult {
  if (context.currentState.total_time_spent === 0) return NOT_APPLICABLE;
  applyChange(context, { total_time_spent: 0 });
  context.changes.spend_time = { duration: null, user_id: context.uow.actor.user.id, spent_at: null };
  context.afterUpdate.push((id) => resetSpentTime(context.uow, toTimeTracked(context, id)));
  return 'Removed spent time.';
}

async function addTodo(context: QuickActionContext): Promise<CommandResult> {
  const { uow, subject } = context;
  const { id: userId } = uow.actor.user;
  if (await hasPendingTodo(uow, userId, { type: subject.type, id: subject.noteable!.id }, 'marked'))
    return NOT_APPLICABLE;
  const parentIds = { projectId: subject.parent.project?.id ?? null, groupId: subject.parent.group?.id ?? null };
  context.changes.todo_event = 'add';
  context.afterUpdate.push((id) =>
    insertTodos(uow, { target: { type: subject.type, id }, ...parentIds, authorId: userId }, [
      { userId, action: 'marked' },
    ]),
  );
  return 'Added a to-do item.';
}

async function markTodoDone(context: QuickActionContext): Promise<CommandResult> {
  const { uow, subject } = context;
  const { id: userId } = uow.actor.user;
  if (!(await hasPendingTodo(uow, userId, { type: subject.type, id: subject.noteable!.id }))) return NOT_APPLICABLE;
  context.changes.todo_event = 'done';
  context.afterUpdate.push((id) => markTodosDone(uow, userId, { type: subject.type, id }));
  return 'Marked to-do item as done.';
}

async function setSubscription(context: QuickActionContext, subscribed: boolean): Promise<CommandResult> {
  const { uow, subject } = context;
  const kind = TABLES_BY_TYPE[subject.type];
  const noteable = subject.noteable!;
  if ((await findSubscribedIds(uow, kind, uow.actor, [noteable])).has(noteable.id) === subscribed)
    return NOT_APPLICABLE;
  context.changes.subscription_event = subscribed ? 'subscribe' : 'unsubscribe';
  context.afterUpdate.push((id) => setSubscribed(uow, kind, { id, userId: uow.actor.user.id, subscribed }));
  return subscribed ? 'Subscribed to notifications.' : 'Unsubscribed from notifications.';
}

function toggleReaction(context: QuickActionContext, argument: string): CommandResult {
  const name = findEmojiName(/^:([^\s:]{1,255}):$/.exec(argument)?.[1] ?? '');
  if (name === null) return null;
  const { uow, subject } = context;
  context.changes.emoji_award = name;
  context.afterUpdate.push((id) => toggleAward(uow, { noteable: { type: subject.type, id }, note: null }, name));
  return `Toggled :${name}: emoji reaction.`;
}

export const AFTER_UPDATE_ACTIONS = [
  {
    names: ['estimate', 'estimate_time'],
    noteableTypes: PROJECT_TYPES,
    availableAtCreation: true,
    requiredRight: 'time',
    run: setEstimate,
  },
  {
    names: ['remove_estimate', 'remove_time_estimate'],
    noteableTypes: PROJECT_TYPES,
    requiredRight: 'time',
    run: removeEstimate,
  },
  {
    names: ['spend', 'spent', 'spend_time'],
    noteableTypes: PROJECT_TYPES,
    availableAtCreation: true,
    requiredRight: 'time',
    run: addTimeSpent,
  },
  { names: ['remove_time_spent'], noteableTypes: PROJECT_TYPES, requiredRight: 'time', run: removeTimeSpent },
  { names: ['todo'], noteableTypes: ALL_TYPES, requiredRight: 'see', run: addTodo },
  { names: ['done'], noteableTypes: ALL_TYPES, requiredRight: 'see', run: markTodoDone },
  {
    names: ['subscribe'],
    noteableTypes: ALL_TYPES,
    requiredRight: 'see',
    run: (context) => setSubscription(context, true),
  },
  {
    names: ['unsubscribe'],
    noteableTypes: ALL_TYPES,
    requiredRight: 'see',
    run: (context) => setSubscription(context, false),
  },
  { names: ['react', 'award'], noteableTypes: ALL_TYPES, requiredRight: 'see', run: toggleReaction },
] as const satisfies readonly QuickAction[];
