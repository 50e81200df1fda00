import { readCommit } from '#git/objects/object-reader.ts';
import type { Raw } from '#http/parameters/brackets.ts';
import { optional } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import type { OpenBranchQuestion } from '#repositories/branches/push-permission.ts';
import {
  type BranchCommit,
  type CommitToBranchFailure,
  commitToBranch,
} from '#repositories/commits/commit-to-branch.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  type BodyCall,
  type BodyFailure,
  commitFields,
  commitParams,
  lateBody,
  readFilemode,
  textOf,
} from '../repository-files/index.ts';
import { type ActionFailure, actionsIn, actionsParam, readActions } from './actions.ts';
import type { CommitDetailRow } from './entities.ts';

interface CreateCall extends BodyCall {
  readonly project: CommitDetailRow['project'];
  readonly openBranch: OpenBranchQuestion;
}

const { last_commit_id: _ofAnAction, ...commit } = commitParams;

/** The fields of the body. */
export const createParams = {
  ...commit,
  start_sha: optional(refName),
  start_project: optional(string),
  actions: optional(actionsParam),
  stats: optional(boolean, true),
  force: optional(boolean, false),
  allow_empty: optional(boolean, false),
};

export const WISH_REFUSALS = {
  required: [400, '400 Bad request - {name} is required'],
  notBoolean: [400, '400 Bad request - {name} must be a boolean'],
  bothStarts: [400, '400 Bad request - start_branch, start_sha are mutually exclusive'],
  startProject: [404, '404 Project Not Found'],
} as const;

type WishFailure = ActionFailure | keyof typeof WISH_REFUSALS;

/** One commit of several actions, as the body has them, which is read and checked in the contract's order. */
export async function createCommitFrom(
  call: CreateCall,
  services: Services,
): Promise<CommitDetailRow | Failure<BodyFailure | 'notAllowed' | WishFailure | CommitToBranchFailure>> {
  await using body = await lateBody(call, services, createParams);
  const { given } = body;
  if (isFailure(given)) return given;
  const { project } = call;
  const branch = await call.openBranch(commitFields(given).branch);
  if (isFailure(branch)) return branch;
  const wish = await readWish(given, project);
  if (isFailure(wish)) return wish;
  const made = await commitToBranch(services, branch, wish);
  if (isFailure(made)) return made;
  const commit = (await readCommit(services.git, repositoryOf(services.git, project), made))!;
  return { commit, project, stats: wish.stats };
}

async function readWish(
  given: Raw,
  project: CreateCall['project'],
): Promise<(BranchCommit & { readonly stats: boolean }) | Failure<WishFailure>> {
  // Each action has a `last_commit_id` of its own.
  const { branch, lastCommitId: _, ...fields } = commitFields(given);
  if (branch.trim() === '') return fail('required', { name: 'branch' });
  if (fields.message.trim() === '') return fail('required', { name: 'commit_message' });
  const flags = readFlags(given);
  if (isFailure(flags)) return flags;
  const { stats, force, allow_empty: allowEmpty } = flags;
  const startSha = textOf(given, 'start_sha') || undefined;
  const items = actionsIn(given.actions, { allowEmpty });
  if (isFailure(items)) return items;
  if (startSha !== undefined && fields.startBranch !== undefined) return fail('bothStarts');
  const changes = await readActions(items);
  if (isFailure(changes)) return changes;
  if (!isSameProject(textOf(given, 'start_project'), project)) return fail('startProject');
  return { ...fields, changes, startSha, force, allowEmpty, stats };
}

const DEFAULTS = { stats: true, force: false, allow_empty: false } as const;

function readFlags(given: Raw): Record<keyof typeof DEFAULTS, boolean> | Failure<'notBoolean'> {
  const flags: Record<keyof typeof DEFAULTS, boolean> = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const value = readFilemode(given[name]);
    if (value === 'invalid') return fail('notBoolean', { name });
    flags[name] = value ?? DEFAULTS[name];
  }
  return flags;
}

/** Nothing is forked, so that the only project whose commits are here is the project itself. */
function isSameProject(named: string | undefined, { id, full_path }: CreateCall['project']): boolean {
  return !named || named === String(id) || named.toLowerCase() === full_path.toLowerCase();
}
