import { emojiNamed, toggleAward } from '../awards/index.ts';
import {
  estimate,
  humanDuration,
  isSubscribedTo,
  KINDS,
  readDuration,
  resetEstimate,
  resetSpent,
  saySubscribed,
  spend,
} from '../issuables/index.ts';
import { finishTodosOn, insertTodos, isPending } from '../todo-rows/index.ts';
import { ALL, type Doing, type Done, NOT_DONE, OF_PROJECTS, type Row } from './command-context.ts';
import { readDate } from './dates.ts';

/** What is done beside the change itself: time, to-dos, subscriptions, emoji. */

/** What people take time for: no epics. */
const timed = ({ subject: { type } }: Doing, id: number) => ({ type: type as 'Issue' | 'MergeRequest', id });

/** None at all is an estimate too, as it is to the API. */
function setEstimate(doing: Doing, argument: string): Done {
  const seconds = readDuration(argument);
  if (seconds === 0) return removeEstimate(doing);
  if (seconds === null || seconds < 0) return null;
  doing.now = { ...doing.now, time_estimate: seconds };
  doing.changes.time_estimate = seconds;
  doing.besides.push((id) => estimate(doing.uow, timed(doing, id), argument));
  return `Set time estimate to ${humanDuration(seconds)}.`;
}

function removeEstimate(doing: Doing): Done {
  if (doing.now.time_estimate === 0) return NOT_DONE;
  doing.now = { ...doing.now, time_estimate: 0 };
  doing.changes.time_estimate = 0;
  doing.besides.push((id) => resetEstimate(doing.uow, timed(doing, id)));
  return 'Removed time estimate.';
}

/** `the 3rd of december 2025` */
const MOST_WORDS_OF_A_DAY = 5;

/** A length of time, and perhaps the day on which it was spent, which is not to come. */
function addSpent(doing: Doing, argument: string): Done {
  const { uow } = doing;
  const { duration, day } = durationAndDay(argument, uow.today);
  const seconds = readDuration(duration);
  if (seconds === null || seconds === 0 || (day !== null && day > uow.today)) return null;
  doing.now = { ...doing.now, total_time_spent: doing.now.total_time_spent + seconds };
  const spent_at = day === null ? uow.now : `${day}T00:00:00.000Z`;
  doing.changes.spend_time = { duration: seconds, user_id: uow.actor.user.id, spent_at };
  doing.besides.push((id) => spend(uow, timed(doing, id), duration, day ?? uow.today));
  return `${seconds < 0 ? 'Subtracted' : 'Added'} ${humanDuration(Math.abs(seconds))} spent time.`;
}

/** The day is as many of the last words as make one; null: there is none. */
function durationAndDay(argument: string, today: string): { duration: string; day: string | null } {
  const words = argument.split(/\s/);
  for (let many = Math.min(words.length - 1, MOST_WORDS_OF_A_DAY); many > 0; many--) {
    const day = readDate(words.slice(-many).join(' '), today);
    if (day !== null) return { duration: words.slice(0, -many).join(' '), day };
  }
  return { duration: argument, day: null };
}

function removeSpent(doing: Doing): Done {
  if (doing.now.total_time_spent === 0) return NOT_DONE;
  doing.now = { ...doing.now, total_time_spent: 0 };
  doing.changes.spend_time = { duration: null, user_id: doing.uow.actor.user.id, spent_at: null };
  doing.besides.push((id) => resetSpent(doing.uow, timed(doing, id)));
  return 'Removed spent time.';
}

async function todo(doing: Doing): Promise<Done> {
  const { uow, subject } = doing;
  const { id: userId } = uow.actor.user;
  if (await isPending(uow, userId, { type: subject.type, id: subject.thing!.id }, 'marked')) return NOT_DONE;
  const where = { projectId: subject.place.project?.id ?? null, groupId: subject.place.group?.id ?? null };
  doing.changes.todo_event = 'add';
  doing.besides.push((id) =>
    insertTodos(uow, { target: { type: subject.type, id }, ...where, authorId: userId }, [
      { userId, action: 'marked' },
    ]),
  );
  return 'Added a to-do item.';
}

async function finish(doing: Doing): Promise<Done> {
  const { uow, subject } = doing;
  const { id: userId } = uow.actor.user;
  if (!(await isPending(uow, userId, { type: subject.type, id: subject.thing!.id }))) return NOT_DONE;
  doing.changes.todo_event = 'done';
  doing.besides.push((id) => finishTodosOn(uow, userId, { type: subject.type, id }));
  return 'Marked to-do item as done.';
}

async function subscribe(doing: Doing, subscribed: boolean): Promise<Done> {
  const { uow, subject } = doing;
  const kind = KINDS[subject.type];
  const thing = subject.thing!;
  if ((await isSubscribedTo(uow, kind, uow.actor, [thing])).has(thing.id) === subscribed) return NOT_DONE;
  doing.changes.subscription_event = subscribed ? 'subscribe' : 'unsubscribe';
  doing.besides.push((id) => saySubscribed(uow, kind, { id, userId: uow.actor.user.id, subscribed }));
  return subscribed ? 'Subscribed to notifications.' : 'Unsubscribed from notifications.';
}

function react(doing: Doing, argument: string): Done {
  const name = emojiNamed(/^:([^\s:]{1,60}):$/.exec(argument)?.[1] ?? '');
  if (name === null) return null;
  const { uow, subject } = doing;
  doing.changes.emoji_award = name;
  doing.besides.push((id) => toggleAward(uow, { thing: { type: subject.type, id }, note: null }, name));
  return `Toggled :${name}: emoji reaction.`;
}

export const OWN = [
  { names: ['estimate', 'estimate_time'], on: OF_PROJECTS, atCreation: true, right: 'time', run: setEstimate },
  { names: ['remove_estimate', 'remove_time_estimate'], on: OF_PROJECTS, right: 'time', run: removeEstimate },
  { names: ['spend', 'spent', 'spend_time'], on: OF_PROJECTS, atCreation: true, right: 'time', run: addSpent },
  { names: ['remove_time_spent'], on: OF_PROJECTS, right: 'time', run: removeSpent },
  { names: ['todo'], on: ALL, right: 'see', run: todo },
  { names: ['done'], on: ALL, right: 'see', run: finish },
  { names: ['subscribe'], on: ALL, right: 'see', run: (doing) => subscribe(doing, true) },
  { names: ['unsubscribe'], on: ALL, right: 'see', run: (doing) => subscribe(doing, false) },
  { names: ['react', 'award'], on: ALL, right: 'see', run: react },
] as const satisfies readonly Row[];
