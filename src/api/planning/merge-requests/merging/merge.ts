import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import { loadHeadPipelines } from '#authorization/pipelines.ts';
import { findMatchingRules } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { findMergeRequestsWithOpenThreads } from '#domain/threads.ts';
import type { Merge } from '#events/domain-events.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { withBranchLock } from '#repositories/commits/commit-to-branch.ts';
import { isBeingMerged } from '#repositories/ref-updates/intents.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { mayMergeInto, type RefPermission } from '#repositories/ref-updates/ref-permissions.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Clock, timestamp } from '#runtime/clock.ts';
import { type Failure, fail, isFailure, requireRow } from '#runtime/failure.ts';
import { decideAutoMerge, enableAutoMerge, isReadyToAutoMerge } from '../auto-merge/changes.ts';
import { type AutoMergeOptions, hasAutoMerge } from '../auto-merge/store.ts';
import { loadMergeSettings } from '../store.ts';
import { type BranchComparison, compareBranches } from './branch-comparison.ts';
import { type MergeCommits, writeMerge } from './merge-commits.ts';
import {
  getMergeFailure,
  isBlockedByPipeline,
  isSquashed,
  isTitleAllowed,
  isTooEarly,
  type MergeChecks,
} from './mergeability.ts';

/** Services for merges. The clock decides whether `merge_after` has passed. */
export interface MergeServices extends RefServices {
  readonly clock: Clock;
}

/** Options of a merge; the defaults come from the merge request and its project. */
interface MergeOptions extends AutoMergeOptions {
  /** The merge fails if the head is another commit. */
  readonly sha?: string | null | undefined;
  /** Stored in the merge request; absent: the merge request's own choice. */
  readonly squash?: boolean | null | undefined;
  /** Whether to merge once all requirements are fulfilled. `merge_when_pipeline_succeeds` is the deprecated name. */
  readonly auto_merge?: boolean | null | undefined;
  readonly merge_when_pipeline_succeeds?: boolean | null | undefined;
}

/** `branchesMoved`: the branches moved during each attempt. */
export type MergeFailure =
  | 'notFound'
  | 'readOnly'
  | 'notMergeable'
  | 'mergeInProgress'
  | 'conflict'
  | 'branchesMoved'
  | 'shaDiffers';

/** Maximum number of attempts if the branches move meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Merges a merge request, or enables auto-merge. Concurrent calls merge it once. Only the unit of work that records the ref update
 * changes the merge request; it runs even if this process dies after the update.
 */
export function mergeNowOrWhenReady(
  services: MergeServices,
  caller: SignedInCaller,
  project: Project,
  mergeRequest: MergeRequest,
  options: MergeOptions,
): Promise<MergeRequest | Failure<MergeFailure>> {
  const mode = (options.auto_merge ?? options.merge_when_pipeline_succeeds) ? 'when-ready' : 'now';
  return mergeInMode(services, caller, project, mergeRequest, { ...options, mode });
}

/**
 * Runs a pending auto-merge of the current head. Fails with `notMergeable` while requirements are open or after it was cancelled.
 */
export function runAutoMerge(
  services: MergeServices,
  caller: SignedInCaller,
  project: Project,
  mergeRequest: MergeRequest,
  options: AutoMergeOptions,
): Promise<MergeRequest | Failure<MergeFailure>> {
  return mergeInMode(services, caller, project, mergeRequest, {
    ...options,
    sha: mergeRequest.head_sha,
    mode: 'pending',
  });
}

/** `now`: merges or fails; `when-ready`: merges or enables auto-merge; `pending`: runs a pending auto-merge. */
interface MergeModeOptions extends MergeOptions {
  readonly mode: 'now' | 'when-ready' | 'pending';
}

function mergeInMode(
  services: MergeServices,
  caller: SignedInCaller,
  project: Project,
  { iid, target_branch: name }: MergeRequest,
  options: MergeModeOptions,
): Promise<MergeRequest | Failure<MergeFailure>> {
  return withBranchLock(services.git, { project, name }, async () => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const result = await mergeOnce(services, caller, { projectId: project.id, iid }, options);
      if (result !== undefined) return result;
    }
    return fail('branchesMoved');
  });
}

interface MergeRequestRef {
  readonly projectId: number;
  readonly iid: number;
}

/** Makes one attempt. Returns undefined if the merge request, its project or its branches changed meanwhile. */
async function mergeOnce(
  services: MergeServices,
  caller: SignedInCaller,
  { projectId, iid }: MergeRequestRef,
  options: MergeModeOptions,
): Promise<MergeRequest | Failure<MergeFailure> | undefined> {
  const { database, git } = services;
  const db = database.forRequest().reader;
  const project = await findProject(db, caller, String(projectId));
  const mergeRequest = await findMergeRequest(db, caller, projectId, iid);
  if (project === null || mergeRequest === null) return fail('notFound');
  if (project.read_only) return fail('readOnly');
  const branches = await compareBranches(git, project, mergeRequest);
  const state = { project, mergeRequest, branches, now: timestamp(services.clock) };
  const checkResult = await checkMerge(db, state, options);
  if (checkResult === 'later') return scheduleAutoMerge(services, caller, state, options);
  if (checkResult !== null) return checkResult;
  const removesSource = await shouldRemoveSource(db, state, options);
  const commits = await writeMergeCommits(services, caller, state, options);
  if (commits === null) return fail('conflict');
  const updateResult = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: createMergePermission(state, options, removesSource) },
    changes: toRefChanges(state, commits, removesSource),
    merge: toMergeEvent(state, commits, options),
  });
  if (!isFailure(updateResult))
    return findMergeRequest(database.forRequest().reader, caller, projectId, iid).then(orNotFound);
  switch (updateResult.code) {
    case 'readOnly':
    case 'notMergeable':
    case 'mergeInProgress':
      return fail(updateResult.code);
    case 'changed':
    case 'moved':
    case 'locked':
      return undefined;
    default:
      return fail('conflict');
  }
}

const orNotFound = (mergeRequest: MergeRequest | null) => mergeRequest ?? fail('notFound');

/** The state on which the merge decision is based. */
interface MergeState {
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
  readonly branches: BranchComparison;
  readonly now: string;
}

/** Returns the failure, `later` if auto-merge is to be enabled, or null if the merge request can be merged now. */
async function checkMerge(
  db: Reader,
  state: MergeState,
  { sha, mode }: MergeModeOptions,
): Promise<Failure<'notMergeable' | 'mergeInProgress' | 'conflict' | 'shaDiffers'> | 'later' | null> {
  const { id, head_sha: head } = state.mergeRequest;
  const checks = await loadMergeChecks(db, state, mode);
  const decision = decideMerge(mode, checks);
  if (decision === 'notMergeable' || decision === 'conflict') return fail(decision);
  if (await isBeingMerged(db, id)) return fail('mergeInProgress');
  if (sha && sha !== head) return fail('shaDiffers', { sha: head });
  return decision;
}

/** Returns the failure code, `later` if auto-merge is to be enabled, or null if the merge request can be merged now. */
function decideMerge(
  mode: MergeModeOptions['mode'],
  checks: MergeChecks,
): 'notMergeable' | 'conflict' | 'later' | null {
  if (mode === 'now') return getMergeFailure(checks);
  if (mode === 'pending') return isReadyToAutoMerge(checks) ? null : 'notMergeable';
  const decision = decideAutoMerge(checks);
  return decision === 'now' ? null : decision;
}

/** Loads the current checks of a merge. */
async function loadMergeChecks(
  db: Reader,
  { project, mergeRequest, branches, now }: MergeState,
  mode: MergeModeOptions['mode'],
): Promise<MergeChecks> {
  const requirements = await loadMergeRequirements(db, project, mergeRequest, mode);
  const titleMatches = isTitleAllowed(mergeRequest.title, requirements.settings);
  const timing = { isTooEarly: isTooEarly(mergeRequest, now) };
  return { ...mergeRequest, ...timing, titleMatches, check: branches.check, ...requirements };
}

/** Loads the merge settings and, where they matter, the status of the head pipeline (null: none) and whether a thread is open. */
async function loadMergeRequirements(
  db: Reader,
  { id: projectId }: Project,
  { id }: MergeRequest,
  mode: MergeModeOptions['mode'],
): Promise<Pick<MergeChecks, 'settings' | 'threadsOpen' | 'pipeline'>> {
  const settings = requireRow((await loadMergeSettings(db, [projectId])).get(projectId));
  const threadsOpen =
    settings.only_allow_merge_if_all_discussions_are_resolved &&
    (await findMergeRequestsWithOpenThreads(db, [id])).has(id);
  if (mode === 'now' && !settings.only_allow_merge_if_pipeline_succeeds)
    return { settings, threadsOpen, pipeline: null };
  return { settings, threadsOpen, pipeline: (await loadHeadPipelines(db, [id])).get(id)?.status ?? null };
}

/** Enables auto-merge. Returns undefined if the requirements were fulfilled or something changed meanwhile. */
async function scheduleAutoMerge(
  { database, runUnitOfWork }: RefServices,
  caller: SignedInCaller,
  state: MergeState,
  options: MergeModeOptions,
): Promise<MergeRequest | Failure<'notFound'> | undefined> {
  const { project_id, iid } = state.mergeRequest;
  const failure = await runUnitOfWork(caller, async (uow) => {
    const access = await reloadAccess(uow, caller, project_id);
    const currentMergeRequest = await findMergeRequest(uow, caller, project_id, iid);
    if (currentMergeRequest === null || !isUnchangedSince(state, access.project, currentMergeRequest))
      return fail('changed');
    if (decideMerge(options.mode, await loadMergeChecks(uow, state, options.mode)) !== 'later') return fail('changed');
    await enableAutoMerge(uow, access, currentMergeRequest, options);
  });
  return failure ? undefined : findMergeRequest(database.forRequest().reader, caller, project_id, iid).then(orNotFound);
}

/** Returns whether to delete the source branch. The default branch, protected and moved branches are kept. */
async function shouldRemoveSource(
  db: Reader,
  { project, mergeRequest, branches }: MergeState,
  { should_remove_source_branch: requestedChoice }: MergeOptions,
): Promise<boolean> {
  const { source_branch, force_remove_source_branch: mergeRequestChoice, head_sha } = mergeRequest;
  const defaultChoice = parseStoredAttributes(project).remove_source_branch_after_merge;
  if (!(requestedChoice ?? mergeRequestChoice ?? defaultChoice) || branches.source !== head_sha) return false;
  if (source_branch === project.default_branch) return false;
  return findMatchingRules(await listProtectionRules(db, project.id), source_branch).length === 0;
}

async function writeMergeCommits(
  { database, git }: RefServices,
  caller: SignedInCaller,
  { project, mergeRequest, branches }: MergeState,
  options: MergeOptions,
): Promise<MergeCommits | null> {
  const settings = parseStoredAttributes(project);
  const author = await findUserById(database.reader, mergeRequest.author_id);
  return writeMerge(git, {
    project,
    mergeRequest,
    method: settings.merge_method,
    target: branches.target!,
    base: branches.base!,
    squash: isSquashed(options.squash ?? mergeRequest.squash, settings),
    merger: caller.user,
    author: author ?? caller.user,
    mergeMessage: options.merge_commit_message,
    squashMessage: options.squash_commit_message,
  });
}

/** Returns a check that repeats the permission and state checks in the transaction that commits to the ref update. */
function createMergePermission(
  state: MergeState,
  options: MergeModeOptions,
  removesSource: boolean,
): RefPermission<'notMergeable' | 'mergeInProgress' | 'changed'> {
  const { id, iid, target_branch } = state.mergeRequest;
  return async (db, { caller, project }) => {
    // After this error, the access check of the endpoint runs again and produces the response.
    if (!(await mayMergeInto(db, caller, project, target_branch))) throw new AccessRevoked();
    if (await isBeingMerged(db, id)) return fail('mergeInProgress');
    if (options.mode === 'pending' && !(await hasAutoMerge(db, id))) return fail('notMergeable');
    const mergeRequest = await findMergeRequest(db, caller, project.id, iid);
    if (mergeRequest === null || !isUnchangedSince(state, project, mergeRequest)) return fail('changed');
    const { settings, threadsOpen, pipeline } = await loadMergeRequirements(db, project, mergeRequest, options.mode);
    if (threadsOpen || isBlockedByPipeline(pipeline, settings)) return fail('changed');
    return (await shouldRemoveSource(db, { ...state, project }, options)) === removesSource
      ? undefined
      : fail('changed');
  };
}

/** Returns whether the columns that the merge decision depends on are the same as in `state`. */
function isUnchangedSince(state: MergeState, project: Project, mergeRequest: MergeRequest): boolean {
  const comparedColumns = [
    'state',
    'title',
    'draft',
    'source_branch',
    'target_branch',
    'head_sha',
    'merge_after',
    'squash',
    'force_remove_source_branch',
  ] as const;
  return (
    project.attributes === state.project.attributes &&
    comparedColumns.every((column) => mergeRequest[column] === state.mergeRequest[column])
  );
}

function toRefChanges({ mergeRequest, branches }: MergeState, { tip }: MergeCommits, removesSource: boolean) {
  const { source_branch, target_branch, head_sha } = mergeRequest;
  return [
    { ref: HEADS + target_branch, oldId: branches.target!, newId: tip },
    ...(removesSource ? [{ ref: HEADS + source_branch, oldId: head_sha, newId: ZERO_ID }] : []),
  ];
}

function toMergeEvent({ mergeRequest, branches }: MergeState, commits: MergeCommits, options: MergeOptions): Merge {
  return {
    mergeRequestId: mergeRequest.id,
    ref: HEADS + mergeRequest.target_branch,
    newId: commits.tip,
    head: mergeRequest.head_sha,
    mergeCommit: commits.mergeCommit,
    squashCommit: commits.squashCommit,
    base: branches.base!,
    start: branches.target!,
    shouldRemoveSourceBranch: options.should_remove_source_branch ?? null,
    squash: options.squash ?? mergeRequest.squash,
  };
}
