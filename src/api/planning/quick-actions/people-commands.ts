import { loadUsersById } from '#api/identity/users/index.ts';
import { foldCase } from '#database/name-keys.ts';
import { findUserIdsByUsernames } from '../mail-messages/index.ts';
import { joinAsSentence, parseUsernames } from './arguments.ts';
import {
  type CommandResult,
  NOT_APPLICABLE,
  PROJECT_TYPES,
  type QuickAction,
  type QuickActionContext,
} from './command-context.ts';

// Quick actions for assignees and reviewers.

type UserField = 'assignees' | 'reviewers';

const CHANGED = { assignees: 'assignee_ids', reviewers: 'reviewer_ids' } as const;
const NAMES = {
  assignees: { add: 'assign', remove: 'unassign' },
  reviewers: { add: 'assign_reviewer', remove: 'unassign_reviewer' },
} as const;

/** Returns the users in order, or an error message with the names that do not exist or may not read the noteable. */
async function findUsers(
  { uow, subject }: QuickActionContext,
  argument: string,
  command: string,
): Promise<readonly number[] | string> {
  const names = parseUsernames(argument);
  const ids = await findUserIdsByUsernames(uow, names.map(foldCase));
  const idOf = (name: string) => (name === 'me' ? uow.actor.user.id : ids.get(foldCase(name)));
  const userIds = names.flatMap((name) => idOf(name) ?? []);
  const readers = new Set(await subject.readers(userIds));
  const missing = names.filter((name) => !readers.has(idOf(name) ?? 0));
  if (missing.length === 0) return [...new Set(userIds)];
  return `Could not apply ${command} command. Failed to find users for ${joinAsSentence(missing.map((name) => `'${name}'`))}.`;
}

/** Formats users: `@ada and @bob`. */
async function formatUsers({ uow }: QuickActionContext, ids: readonly number[]): Promise<string> {
  const users = await loadUsersById(uow, ids);
  return joinAsSentence(ids.flatMap((id) => (users.has(id) ? [`@${users.get(id)!.username}`] : [])));
}

function setUsers(context: QuickActionContext, part: UserField, ids: readonly number[]): void {
  context.now = { ...context.now, [part]: ids };
  context.changes[CHANGED[part]] = [...ids];
}

async function add(context: QuickActionContext, argument: string, part: UserField): Promise<CommandResult> {
  const users = await findUsers(context, argument, NAMES[part].add);
  if (typeof users === 'string') return users;
  const isReview = part === 'reviewers';
  if (users.length === 0) return `Failed to assign a ${isReview ? 'reviewer' : 'user'} because no user was found.`;
  // The free tier has a single assignee: the new one replaces the old one.
  const isOne = context.uow.tier === 'free' && !isReview;
  const addedUsers = isOne ? users.slice(0, 1) : users;
  const before = isOne ? [] : context.now[part];
  setUsers(context, part, [...new Set([...before, ...addedUsers])]);
  const names = await formatUsers(context, addedUsers);
  return isReview ? `Assigned ${names} as reviewer${addedUsers.length === 1 ? '' : 's'}.` : `Assigned ${names}.`;
}

async function remove(context: QuickActionContext, argument: string, part: UserField): Promise<CommandResult> {
  const before = context.now[part];
  if (before.length === 0) return NOT_APPLICABLE;
  const users = argument === '' ? before : await findUsers(context, argument, NAMES[part].remove);
  if (typeof users === 'string') return users;
  const removedUsers = before.filter((id) => users.includes(id));
  if (removedUsers.length === 0) return null;
  setUsers(
    context,
    part,
    before.filter((id) => !removedUsers.includes(id)),
  );
  return `Removed ${part.slice(0, removedUsers.length === 1 ? -1 : undefined)} ${await formatUsers(context, removedUsers)}.`;
}

const OF_MERGE_REQUESTS = ['MergeRequest'] as const;

export const PEOPLE_ACTIONS = [
  {
    names: ['assign'],
    noteableTypes: PROJECT_TYPES,
    atCreation: true,
    right: 'manage',
    run: (context, argument) => add(context, argument, 'assignees'),
  },
  {
    names: ['unassign'],
    noteableTypes: PROJECT_TYPES,
    right: 'manage',
    run: (context, argument) => remove(context, argument, 'assignees'),
  },
  {
    names: ['assign_reviewer', 'reviewer'],
    noteableTypes: OF_MERGE_REQUESTS,
    atCreation: true,
    right: 'manage',
    run: (context, argument) => add(context, argument, 'reviewers'),
  },
  {
    names: ['unassign_reviewer', 'remove_reviewer'],
    noteableTypes: OF_MERGE_REQUESTS,
    right: 'manage',
    run: (context, argument) => remove(context, argument, 'reviewers'),
  },
] as const satisfies readonly QuickAction[];
