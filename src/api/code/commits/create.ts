import { readCommit } from '#git/objects/object-reader.ts';
import type { RawParameters } from '#http/parameters/brackets.ts';
import { optional } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import type { RequirePushableBranch } from '#repositories/branches/push-permission.ts';
import {
  type CommitToBranchFailure,
  type CommitToBranchInput,
  commitToBranch,
} from '#repositories/commits/commit-to-branch.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  type BodyCall,
  type BodyFailure,
  commitParams,
  getTextParameter,
  parseBoolean,
  parseCommitFields,
  readDeferredBody,
} from '../repository-files/index.ts';
import { type ActionFailure, actionsParam, parseActions, toActionList } from './actions.ts';
import type { CommitDetailRow } from './entities.ts';

interface CreateCall extends BodyCall {
  readonly project: CommitDetailRow['project'];
  readonly requirePushableBranch: RequirePushableBranch;
}

const { last_commit_id: _lastCommitId, ...sharedParams } = commitParams;

export const createCommitParams = {
  ...sharedParams,
  start_sha: optional(refName),
  start_project: optional(string),
  actions: optional(actionsParam),
  stats: optional(boolean, true),
  force: optional(boolean, false),
  allow_empty: optional(boolean, false),
};

export const COMMIT_INPUT_ERRORS = {
  required: [400, '400 Bad request - {name} is required'],
  notBoolean: [400, '400 Bad request - {name} must be a boolean'],
  startsExclusive: [400, '400 Bad request - start_branch, start_sha are mutually exclusive'],
  startProjectNotFound: [404, '404 Project Not Found'],
} as const;

type CommitInputFailure = ActionFailure | keyof typeof COMMIT_INPUT_ERRORS;

/** Creates one commit from the actions in the body. Errors take precedence in the order of contract/repository.md §4. */
export async function createCommitFromCall(
  call: CreateCall,
  services: Pick<Services, 'database' | 'blobs' | 'git' | 'runUnitOfWork'>,
): Promise<CommitDetailRow | Failure<BodyFailure | 'notAllowed' | CommitInputFailure | CommitToBranchFailure>> {
  await using body = await readDeferredBody(call, services, createCommitParams);
  const { parameters } = body;
  if (isFailure(parameters)) return parameters;
  const { project } = call;
  const branch = await call.requirePushableBranch(parseCommitFields(parameters).branch);
  if (isFailure(branch)) return branch;
  const input = await parseCommitInput(parameters, project);
  if (isFailure(input)) return input;
  const commitId = await commitToBranch(services, branch, input);
  if (isFailure(commitId)) return commitId;
  const commit = (await readCommit(services.git, getRepository(services.git, project), commitId))!;
  return { commit, project, withStats: input.stats };
}

async function parseCommitInput(
  parameters: RawParameters,
  project: CreateCall['project'],
): Promise<(CommitToBranchInput & { readonly stats: boolean }) | Failure<CommitInputFailure>> {
  // Each action has its own `last_commit_id`.
  const { branch, lastCommitId: _, ...fields } = parseCommitFields(parameters);
  if (branch.trim() === '') return fail('required', { name: 'branch' });
  if (fields.message.trim() === '') return fail('required', { name: 'commit_message' });
  const flags = parseFlags(parameters);
  if (isFailure(flags)) return flags;
  const { stats, force, allow_empty: allowEmpty } = flags;
  const startSha = getTextParameter(parameters, 'start_sha') || undefined;
  const items = toActionList(parameters.actions, { allowEmpty });
  if (isFailure(items)) return items;
  if (startSha !== undefined && fields.startBranch !== undefined) return fail('startsExclusive');
  const changes = await parseActions(items);
  if (isFailure(changes)) return changes;
  if (!isSameProject(getTextParameter(parameters, 'start_project'), project)) return fail('startProjectNotFound');
  return { ...fields, changes, startSha, force, allowEmpty, stats };
}

const DEFAULTS = { stats: true, force: false, allow_empty: false } as const;

function parseFlags(parameters: RawParameters): Record<keyof typeof DEFAULTS, boolean> | Failure<'notBoolean'> {
  const flags: Record<keyof typeof DEFAULTS, boolean> = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const value = parseBoolean(parameters[name]);
    if (value === 'invalid') return fail('notBoolean', { name });
    flags[name] = value ?? DEFAULTS[name];
  }
  return flags;
}

/** Returns whether `start_project` is absent or names this project. Without forks, no other project can share commits. */
function isSameProject(projectParam: string | undefined, { id, full_path }: CreateCall['project']): boolean {
  return !projectParam || projectParam === String(id) || projectParam.toLowerCase() === full_path.toLowerCase();
}
