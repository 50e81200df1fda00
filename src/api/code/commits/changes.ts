import { writeCommit } from '#git/commits/commit.ts';
import { cherryPick, revert } from '#git/commits/merge.ts';
import { type Commit, readCommit } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { RawParameters } from '#http/parameters/brackets.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import type { RequirePushableBranch } from '#repositories/branches/push-permission.ts';
import {
  type CommitToBranchFailure,
  type CommitToBranchInput,
  commitToBranch,
} from '#repositories/commits/commit-to-branch.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { commitPermission } from '#repositories/ref-updates/ref-permissions.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
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
import type { CommitDetailRow, CommitRow } from './entities.ts';

/** The call of the endpoint, whose body is not read yet. */
interface CreateCall extends BodyCall {
  readonly project: CommitDetailRow['project'];
  readonly requirePushableBranch: RequirePushableBranch;
}

// Each action has its own `last_commit_id`.
const { last_commit_id: _lastCommitId, ...sharedParams } = commitParams;

/** The fields of the body. */
export const createCommitParams = {
  ...sharedParams,
  start_sha: describe(optional(refName), 'Commit at which `branch` is created; excludes `start_branch`.'),
  start_project: describe(optional(string), 'Id or path of this project; no other project is accepted.'),
  actions: describe(optional(actionsParam), 'Changes of files, applied in this order; required unless `allow_empty`.'),
  stats: describe(optional(boolean, true), 'Adds `stats`, the numbers of changed lines.'),
  force: describe(optional(boolean, false), 'Moves an existing `branch` to the start before the commit is added.'),
  allow_empty: describe(optional(boolean, false), 'Allows a commit without actions or without changes.'),
};

/** Errors of parameters other than `actions`. */
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

/** Parses the parameters. Fails with the first violated rule. */
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

/** Defaults of the boolean parameters. */
const FLAG_DEFAULTS = { stats: true, force: false, allow_empty: false };

/** Parses the boolean parameters. */
function parseFlags(parameters: RawParameters): typeof FLAG_DEFAULTS | Failure<'notBoolean'> {
  const flags = { ...FLAG_DEFAULTS };
  for (const name of ['stats', 'force', 'allow_empty'] as const) {
    const value = parseBoolean(parameters[name]);
    if (value === 'invalid') return fail('notBoolean', { name });
    flags[name] = value ?? FLAG_DEFAULTS[name];
  }
  return flags;
}

/** Returns whether `start_project` is absent or names this project. Without forks, no other project can share commits. */
function isSameProject(projectParam: string | undefined, { id, full_path }: CreateCall['project']): boolean {
  return !projectParam || projectParam === String(id) || projectParam.toLowerCase() === full_path.toLowerCase();
}

/** Whether a commit is applied again on a branch (`cherryPick`) or reversed there (`revert`). */
type ApplyKind = 'cherryPick' | 'revert';

type CommitFailure =
  | 'notAllowed'
  | 'readOnly'
  | 'branchUnknown'
  | ApplyFailure
  | (typeof DRY_RUN_FAILURES)[ApplyFailure]
  | 'moved';

/** Why git cannot apply the commit: a conflict, or the change exists already. */
type ApplyFailure = 'conflict' | 'empty';

/** Failures of a dry run by those of a real one. Their responses have the additional field `dry_run`. */
const DRY_RUN_FAILURES = { conflict: 'dryRunConflict', empty: 'dryRunEmpty' } as const;

/** The commit to apply, and the parameters of the endpoint. */
interface ApplyCall {
  readonly commit: Commit;
  readonly requirePushableBranch: RequirePushableBranch;
  readonly params: {
    readonly branch: string;
    /** Replaces the default message. */
    readonly message?: string | null | undefined;
    /** Whether to check only that the commit can be applied. */
    readonly dry_run: boolean;
  };
}

/** Applies a commit to a branch. Returns the new tip, or undefined after a successful dry run. */
export async function applyCommit(
  kind: ApplyKind,
  { commit, requirePushableBranch, params }: ApplyCall,
  services: RefServices,
): Promise<CommitRow | undefined | Failure<CommitFailure>> {
  const { git } = services;
  const branch = await requirePushableBranch(params.branch);
  if (isFailure(branch)) return branch;
  const { project, name, caller } = branch;
  if (project.read_only) return fail('readOnly');
  const repository = getRepository(git, project);
  const tip = await findBranchHead(repository, name);
  if (tip === null) return fail('branchUnknown');
  const apply = kind === 'revert' ? revert : cherryPick;
  const applyResult = await apply(git, repository, { commit: commit.id, onto: tip });
  if (!('tree' in applyResult)) {
    const failure = 'empty' in applyResult ? 'empty' : 'conflict';
    return fail(params.dry_run ? DRY_RUN_FAILURES[failure] : failure);
  }
  if (params.dry_run) return undefined;
  const signer = { name: caller.user.name, email: caller.user.email };
  const message = params.message?.trim() ? params.message : formatDefaultMessage(kind, commit, signer);
  const id = await writeCommit(git, repository, {
    tree: applyResult.tree,
    parents: [tip],
    author: signer,
    committer: signer,
    message,
  });
  const change = { ref: HEADS + name, oldId: tip, newId: id };
  const failure = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: commitPermission({ branch: name }) },
    changes: [change],
  });
  if (failure?.code === 'readOnly' || failure?.code === 'notAllowed') return fail(failure.code);
  if (failure !== undefined) return fail('moved', { branch: name });
  return { commit: (await readCommit(git, repository, id))!, project };
}

/** Name and email address in a commit. */
interface Signer {
  readonly name: string;
  readonly email: string;
}

/** Returns the default message. A cherry-pick of another author's commit names that author as co-author. */
function formatDefaultMessage(kind: ApplyKind, { id, title, message, author }: Commit, signer: Signer): string {
  if (kind === 'revert') return `Revert "${title}"\n\nThis reverts commit ${id}`;
  const messageWithSource = `${message.trimEnd()}\n\n(cherry picked from commit ${id})`;
  const isOwnCommit = author.email.toLowerCase() === signer.email.toLowerCase();
  return isOwnCommit ? messageWithSource : `${messageWithSource}\n\nCo-authored-by: ${author.name} <${author.email}>`;
}
