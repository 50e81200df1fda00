import { usersById } from '#api/identity/users/index.ts';
import { foldCase } from '#database/name-keys.ts';
import { usersAt } from '../mail-messages/index.ts';
import { sentence, usernamesOf } from './arguments.ts';
import { type Doing, type Done, NOT_DONE, OF_PROJECTS, type Row } from './command-context.ts';

/** Assignees and reviewers. */

type Part = 'assignees' | 'reviewers';

const CHANGED = { assignees: 'assignee_ids', reviewers: 'reviewer_ids' } as const;
const NAMES = {
  assignees: { add: 'assign', remove: 'unassign' },
  reviewers: { add: 'assign_reviewer', remove: 'unassign_reviewer' },
} as const;

/** The users in the order in which they are named, or the text that says who is none, or may not see it. */
async function named({ uow, subject }: Doing, argument: string, command: string): Promise<readonly number[] | string> {
  const names = usernamesOf(argument);
  const ids = await usersAt(uow, names.map(foldCase));
  const idOf = (name: string) => (name === 'me' ? uow.actor.user.id : ids.get(foldCase(name)));
  const found = names.flatMap((name) => idOf(name) ?? []);
  const readers = new Set(await subject.readers(found));
  const missing = names.filter((name) => !readers.has(idOf(name) ?? 0));
  if (missing.length === 0) return [...new Set(found)];
  return `Could not apply ${command} command. Failed to find users for ${sentence(missing.map((name) => `'${name}'`))}.`;
}

/** `@ada and @bob` */
async function told({ uow }: Doing, ids: readonly number[]): Promise<string> {
  const users = await usersById(uow, ids);
  return sentence(ids.flatMap((id) => (users.has(id) ? [`@${users.get(id)!.username}`] : [])));
}

function become(doing: Doing, part: Part, ids: readonly number[]): void {
  doing.now = { ...doing.now, [part]: ids };
  doing.changes[CHANGED[part]] = [...ids];
}

async function add(doing: Doing, argument: string, part: Part): Promise<Done> {
  const users = await named(doing, argument, NAMES[part].add);
  if (typeof users === 'string') return users;
  const isReview = part === 'reviewers';
  if (users.length === 0) return `Failed to assign a ${isReview ? 'reviewer' : 'user'} because no user was found.`;
  // On free there is one assignee, the new one.
  const isOne = doing.uow.tier === 'free' && !isReview;
  const come = isOne ? users.slice(0, 1) : users;
  const before = isOne ? [] : doing.now[part];
  become(doing, part, [...new Set([...before, ...come])]);
  const names = await told(doing, come);
  return isReview ? `Assigned ${names} as reviewer${come.length === 1 ? '' : 's'}.` : `Assigned ${names}.`;
}

async function remove(doing: Doing, argument: string, part: Part): Promise<Done> {
  const before = doing.now[part];
  if (before.length === 0) return NOT_DONE;
  const users = argument === '' ? before : await named(doing, argument, NAMES[part].remove);
  if (typeof users === 'string') return users;
  const gone = before.filter((id) => users.includes(id));
  if (gone.length === 0) return null;
  become(
    doing,
    part,
    before.filter((id) => !gone.includes(id)),
  );
  return `Removed ${part.slice(0, gone.length === 1 ? -1 : undefined)} ${await told(doing, gone)}.`;
}

const OF_MERGE_REQUESTS = ['MergeRequest'] as const;

export const PEOPLE = [
  {
    names: ['assign'],
    on: OF_PROJECTS,
    atCreation: true,
    right: 'manage',
    run: (doing, argument) => add(doing, argument, 'assignees'),
  },
  {
    names: ['unassign'],
    on: OF_PROJECTS,
    right: 'manage',
    run: (doing, argument) => remove(doing, argument, 'assignees'),
  },
  {
    names: ['assign_reviewer', 'reviewer'],
    on: OF_MERGE_REQUESTS,
    atCreation: true,
    right: 'manage',
    run: (doing, argument) => add(doing, argument, 'reviewers'),
  },
  {
    names: ['unassign_reviewer', 'remove_reviewer'],
    on: OF_MERGE_REQUESTS,
    right: 'manage',
    run: (doing, argument) => remove(doing, argument, 'reviewers'),
  },
] as const satisfies readonly Row[];
