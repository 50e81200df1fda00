import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { sameSet } from '../issuables/index.ts';
import type { Changes } from './changes.ts';
import { type Doing, NOT_DONE, type Row } from './command-context.ts';
import { OWN } from './immediate-commands.ts';
import { LABELS } from './label-commands.ts';
import { type Command, type Parsed, parse } from './parse.ts';
import { PEOPLE } from './people-commands.ts';
import { PLANS } from './planning-commands.ts';
import type { Moment, Subject, Wish } from './subject.ts';
import { TEXTS } from './text-commands.ts';

/** The table of quick actions, and what those of a text make of a thing: one change of it, and messages. */

const ROWS: readonly Row[] = [...TEXTS, ...LABELS, ...PEOPLE, ...PLANS, ...OWN];

const BY_NAME = new Map(ROWS.map((row) => [row.names[0] as string, row]));

const KNOWN: ReadonlyMap<string, string> = new Map(
  ROWS.flatMap(({ names }) => names.map((name) => [name, names[0]] as const)),
);

/** What of a text are quick actions. */
export const commandsIn = (text: string | null | undefined): Parsed => parse(text ?? '', KNOWN);

/** Those of them which open what is closed go by where its branches are. */
export const reopens = ({ commands }: Parsed): boolean => commands.some(({ name }) => name === 'reopen');

export interface Outcome {
  readonly wish: Wish;
  readonly changes: Changes;
  readonly messages: readonly string[];
  /** What is done besides, once the thing is there and has been changed. */
  readonly besides: (id: number) => Promise<undefined | Failure<'invalid'>>;
}

/** What these commands come to, one after the other; nothing has been changed yet. */
export async function interpret(
  uow: UnitOfWork<SignedInCaller>,
  subject: Subject,
  commands: readonly Command[],
): Promise<Outcome> {
  const doing: Doing = { uow, subject, now: subject.now, changes: {}, besides: [] };
  const messages: string[] = [];
  for (const { name, argument } of commands) {
    const row = BY_NAME.get(name)!;
    const done = mayRun(row, subject) ? await row.run(doing, argument) : NOT_DONE;
    const message = done === NOT_DONE ? `Could not apply ${name} command.` : done;
    if (message !== null) messages.push(message);
  }
  return {
    wish: wishOf(subject.now, doing.now),
    changes: doing.changes,
    messages,
    async besides(id) {
      for (const one of doing.besides) {
        const done = await one(id);
        // Who has been first to award the same has done it for both.
        if (isFailure(done) && done.code === 'invalid') return done as Failure<'invalid'>;
      }
      return undefined;
    },
  };
}

function mayRun({ on, atCreation, right, freeAtCreation }: Row, subject: Subject): boolean {
  if (!on.includes(subject.type) || (subject.thing === null && !atCreation)) return false;
  if (right === 'see' || (freeAtCreation && subject.thing === null)) return true;
  return { update: subject.mayUpdate, manage: subject.mayManage, time: subject.mayTime }[right];
}

/** What PUT would be sent to make `now` of what was before. */
function wishOf(before: Moment, now: Moment): Wish {
  const ids = (labels: Moment['labels']) => labels.map(({ id }) => id);
  const differs = (name: keyof Moment) => before[name] !== now[name];
  return {
    ...(differs('state') && { state_event: now.state === 'closed' ? 'close' : 'reopen' }),
    ...(differs('title') && { title: now.title }),
    ...(!sameSet(ids(before.labels), ids(now.labels)) && { labels: now.labels.map(({ title }) => title) }),
    ...(!sameSet(before.assignees, now.assignees) && { assignee_ids: [...now.assignees] }),
    ...(!sameSet(before.reviewers, now.reviewers) && { reviewer_ids: [...now.reviewers] }),
    ...(differs('milestone_id') && { milestone_id: now.milestone_id }),
    ...(differs('due_date') && { due_date: now.due_date }),
    ...(differs('weight') && { weight: now.weight }),
    ...(differs('epic_id') && { epic_id: now.epic_id ?? null }),
    ...(differs('confidential') && { confidential: now.confidential }),
    ...(differs('discussion_locked') && { discussion_locked: now.discussion_locked === true }),
  };
}
