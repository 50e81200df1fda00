import { loadUsersById } from '#api/identity/users/index.ts';
import { foldCase } from '#database/name-keys.ts';
import { findUserIdsByUsernames } from '../mail-messages/index.ts';
import { joinAsSentence, parseUsernames } from './arguments.ts';
import {
  applyChange,
  type CommandResult,
  MERGE_REQUESTS_ONLY,
  NOT_APPLICABLE,
  PROJECT_TYPES,
  type QuickAction,
  type QuickActionContext,
} from './command-context.ts';

// Quick actions for assignees and reviewers.

type UserField = 'assignees' | 'reviewers';

/** Names of the fields in the list of changes. */
const CHANGED_FIELDS = { assignees: 'assignee_ids', reviewers: 'reviewer_ids' } as const;
/** Names of the commands, for messages. */
const COMMAND_NAMES = {
  assignees: { add: 'assign', remove: 'unassign', replace: 'reassign' },
  reviewers: { add: 'assign_reviewer', remove: 'unassign_reviewer', replace: 'reassign_reviewer' },
} as const;

/** Returns the users in order, or an error message with the names that do not exist or may not read the noteable. */
async function findUsers(
  { uow, subject }: QuickActionContext,
  argument: string,
  command: string,
): Promise<readonly number[] | string> {
  const names = parseUsernames(argument);
  const idsByUsername = await findUserIdsByUsernames(uow, names.map(foldCase));
  const findUserId = (name: string) => (name === 'me' ? uow.actor.user.id : idsByUsername.get(foldCase(name)));
  const userIds = names.flatMap((name) => findUserId(name) ?? []);
  const readers = new Set(await subject.filterReaders(userIds));
  const missingNames = names.filter((name) => !readers.has(findUserId(name) ?? 0));
  if (missingNames.length === 0) return [...new Set(userIds)];
  return `Could not apply ${command} command. Failed to find users for ${joinAsSentence(missingNames.map((name) => `'${name}'`))}.`;
}

/** Formats users: `@ada and @bob`. */
async function formatUsers({ uow }: QuickActionContext, ids: readonly number[]): Promise<string> {
  const users = await loadUsersById(uow, ids);
  return joinAsSentence(ids.flatMap((id) => (users.has(id) ? [`@${users.get(id)!.username}`] : [])));
}

function setUsers(context: QuickActionContext, field: UserField, ids: readonly number[]): void {
  applyChange(context, { [field]: ids });
  context.changes[CHANGED_FIELDS[field]] = [...ids];
}

async function addUsers(context: QuickActionContext, argument: string, field: UserField): Promise<CommandResult> {
  const users = await findUsers(context, argument, COMMAND_NAMES[field].add);
  if (typeof users === 'string') return users;
  const isReviewer = field === 'reviewers';
  if (users.length === 0)
    return isReviewer
      ? 'Failed to assign a reviewer because no user was specified.'
      : 'Failed to assign a user because no user was found.';
  // The free tier has a single assignee: the new one replaces the old one.
  const isSingleAssignee = context.uow.tier === 'free' && !isReviewer;
  const addedUsers = isSingleAssignee ? users.slice(0, 1) : users;
  const previousIds = isSingleAssignee ? [] : context.currentState[field];
  setUsers(context, field, [...new Set([...previousIds, ...addedUsers])]);
  const names = await formatUsers(context, addedUsers);
  return isReviewer ? `Assigned ${names} as reviewer${addedUsers.length === 1 ? '' : 's'}.` : `Assigned ${names}.`;
}

async function removeUsers(context: QuickActionContext, argument: string, field: UserField): Promise<CommandResult> {
  const previousIds = context.currentState[field];
  if (previousIds.length === 0) return NOT_APPLICABLE;
  const users = argument === '' ? previousIds : await findUsers(context, argument, COMMAND_NAMES[field].remove);
  if (typeof users === 'string') return users;
  const removedUsers = previousIds.filter((id) => users.includes(id));
  if (removedUsers.length === 0) return null;
  setUsers(
    context,
    field,
    previousIds.filter((id) => !removedUsers.includes(id)),
  );
  const noun = removedUsers.length === 1 ? field.slice(0, -1) : field;
  return `Removed ${noun} ${await formatUsers(context, removedUsers)}.`;
}

/** Replaces all assignees or reviewers. The free tier has a single one, so that there is nothing to replace. */
async function replaceUsers(context: QuickActionContext, argument: string, field: UserField): Promise<CommandResult> {
  if (context.uow.tier === 'free') return NOT_APPLICABLE;
  const users = await findUsers(context, argument, COMMAND_NAMES[field].replace);
  if (typeof users === 'string') return users;
  setUsers(context, field, users);
  return `Changed ${field}.`;
}

/** Adds reviewers, and requests another review from users who are reviewers already. */
async function requestReview(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const users = await findUsers(context, argument, 'request_review');
  if (typeof users === 'string') return users;
  if (users.length === 0) return 'Failed to request a review because no user was specified.';
  const { reviewers } = context.currentState;
  const { mergeRequest } = context.subject;
  for (const userId of users.filter((id) => reviewers.includes(id)))
    context.afterUpdate.push(async () => mergeRequest?.requestReview(userId));
  if (users.some((id) => !reviewers.includes(id)))
    setUsers(context, 'reviewers', [...new Set([...reviewers, ...users])]);
  return `Requested a review from ${await formatUsers(context, users)}.`;
}

export const PEOPLE_ACTIONS = [
  {
    names: ['assign'],
    noteableTypes: PROJECT_TYPES,
    availableAtCreation: true,
    requiredRight: 'manage',
    run: (context, argument) => addUsers(context, argument, 'assignees'),
  },
  {
    names: ['unassign'],
    noteableTypes: PROJECT_TYPES,
    requiredRight: 'manage',
    run: (context, argument) => removeUsers(context, argument, 'assignees'),
  },
  {
    names: ['assign_reviewer', 'reviewer'],
    noteableTypes: MERGE_REQUESTS_ONLY,
    availableAtCreation: true,
    requiredRight: 'manage',
    run: (context, argument) => addUsers(context, argument, 'reviewers'),
  },
  {
    names: ['unassign_reviewer', 'remove_reviewer'],
    noteableTypes: MERGE_REQUESTS_ONLY,
    requiredRight: 'manage',
    run: (context, argument) => removeUsers(context, argument, 'reviewers'),
  },
  {
    names: ['reassign'],
    noteableTypes: PROJECT_TYPES,
    requiredRight: 'manage',
    run: (context, argument) => replaceUsers(context, argument, 'assignees'),
  },
  {
    names: ['reassign_reviewer'],
    noteableTypes: MERGE_REQUESTS_ONLY,
    requiredRight: 'manage',
    run: (context, argument) => replaceUsers(context, argument, 'reviewers'),
  },
  { names: ['request_review'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'manage', run: requestReview },
] as const satisfies readonly QuickAction[];
