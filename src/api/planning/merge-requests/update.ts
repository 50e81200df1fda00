import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { AccessRevoked, type CurrentAccess } from '#authorization/current-access.ts';
import {
  findMergeRequest,
  findMergeRequests,
  type MergeRequest,
  mayUpdateMergeRequest,
} from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ProjectIssuable } from '#http/access/noteables.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import type { RefServices } from '#repositories/services.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure, requireRow } from '#runtime/failure.ts';
import {
  derivedTextColumns,
  isSameSet,
  loadAssignees,
  loadLabels,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
  pickChangedColumns,
  publishIssuableChanges,
  publishTextChanges,
  recordIssuableChanges,
  stateColumnsAfter,
  updateAssignees,
  updateLabels,
  validateTitle,
} from '../issuables/index.ts';
import {
  applyDescriptionCommands,
  containsReopen,
  findTargetBranch,
  parseQuickActions,
  type QuickActionKind,
  runAfterUpdate,
} from '../quick-actions/index.ts';
import { abortAutoMerges, enqueueAutoMergeAfter, enqueueAutoMergeIfEnabled } from './auto-merge/changes.ts';
import { isDraft, mergeRequestsLockKey, resolveMergeRequestMetadata } from './changes.ts';
import { updateClosingIids } from './closing-issues/closing-keywords.ts';
import { type BranchHeads, runWithBranchHeads } from './heads/branch-heads.ts';
import { enqueueHeadRefSync } from './heads/head-refs.ts';
import { enqueueMergeCheck } from './merging/check-mergeability.ts';
import type { updateMergeRequestParams } from './parameters.ts';
import { loadMergeRequestSubject } from './quick-actions.ts';
import { findOpenMergeRequestByBranches, insertVersion, updateMergeRequestRow } from './store.ts';

type UpdateMergeRequestInput = Partial<ParameterValues<typeof updateMergeRequestParams>>;
type UpdateMergeRequestFailure = 'invalid' | 'sameBranches' | 'exists' | 'notFound';

/** Updates a merge request. Takes the lock of the project's merge requests if the update may open one or change its target branch. */
export async function updateMergeRequestWithLock(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  mergeRequest: MergeRequest,
  input: UpdateMergeRequestInput,
): Promise<MergeRequest | Failure<UpdateMergeRequestFailure>> {
  const parsedText = parseQuickActions(input.description);
  const targetBranch = findTargetBranch(parsedText);
  const branchInput = targetBranch === undefined ? input : { ...input, target_branch: targetBranch };
  const options = { input: branchInput, reopens: containsReopen(parsedText), lock: [] };
  return runMergeRequestUpdate(services, { caller, project, mergeRequest }, options, (_uow, _access, update) =>
    update(input),
  );
}

interface UpdateTarget {
  readonly caller: SignedInCaller;
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
}

/** The parts of the input that decide which locks and branch heads an update needs. */
interface UpdateOptions {
  readonly input?: UpdateMergeRequestInput;
  /** Whether a quick action reopens the merge request. */
  readonly reopens: boolean;
  /** Further lock keys. */
  readonly lock: readonly string[];
}

type ApplyUpdate = (input: UpdateMergeRequestInput) => Promise<MergeRequest | Failure<UpdateMergeRequestFailure>>;

/**
 * Runs a unit of work that reloads and updates a merge request. Author and assignees can change its texts, target branch and state,
 * Developers everything. Parameters that the caller may not set are ignored.
 */
function runMergeRequestUpdate<T>(
  services: RefServices,
  { caller, project, mergeRequest }: UpdateTarget,
  { input = {}, reopens: isReopenedByCommand, lock = [] }: UpdateOptions,
  work: (uow: UnitOfWork<SignedInCaller>, access: CurrentAccess, update: ApplyUpdate) => Promise<T>,
): Promise<T> {
  const { iid, source_branch, head_sha: head } = mergeRequest;
  // Only a new target branch or reopening can create a second open merge request for the same branches.
  const needsBranchHeads = input.target_branch !== undefined || input.state_event === 'reopen' || isReopenedByCommand;
  const isReopened = mergeRequest.state === 'closed' && (input.state_event === 'reopen' || isReopenedByCommand);
  const source = isReopened ? source_branch : null;
  const branches = needsBranchHeads ? { source, head, target: getRequestedTarget(mergeRequest, input) } : null;
  const options = { lock: needsBranchHeads ? [...lock, mergeRequestsLockKey(project)] : lock };
  return runWithBranchHeads(services, { caller, project, branches, options }, (uow, access, heads) =>
    work(uow, access, (requestedInput) => updateMergeRequestWithQuickActions(uow, access, iid, requestedInput, heads)),
  );
}

/** Updates a merge request and runs the quick actions in its description. */
export async function updateMergeRequestWithQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  access: CurrentAccess,
  iid: number,
  params: UpdateMergeRequestInput,
  heads: BranchHeads | null,
): Promise<MergeRequest | Failure<UpdateMergeRequestFailure>> {
  const row = await findMergeRequest(uow, uow.actor, access.project.id, iid);
  if (row === null) return fail('notFound');
  const { input, afterUpdate } = await applyDescriptionCommands(uow, params, () =>
    loadMergeRequestSubject(uow, access, row),
  );
  const updatedMergeRequest = await applyUpdate(uow, access, row, input, heads);
  if (isFailure(updatedMergeRequest)) return updatedMergeRequest;
  return runAfterUpdate(updatedMergeRequest, afterUpdate, async (id) =>
    requireRow((await findMergeRequests(uow, uow.actor, [id]))[0]),
  );
}

/** Applies the update without quick actions. `heads` are the heads of the branches after the update. */
async function applyUpdate(
  uow: UnitOfWork<SignedInCaller>,
  access: CurrentAccess,
  row: MergeRequest,
  input: UpdateMergeRequestInput,
  heads: BranchHeads | null,
): Promise<MergeRequest | Failure<UpdateMergeRequestFailure>> {
  const { caller, project } = access;
  const { iid } = row;
  if (!mayUpdateMergeRequest(caller, project, row)) throw new AccessRevoked();
  const resolvedColumns = await resolveStateAndBranches(uow, row, input, heads?.head ?? null);
  if (isFailure(resolvedColumns)) return resolvedColumns;
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    target_branch:
      isTargetBlank(input) || (resolvedColumns.target_branch !== undefined && heads?.start == null)
        ? ['is invalid']
        : [],
  });
  if (errors) return invalid(errors);
  const before = await loadMetadata(uow, row);
  const { labels, assignees, reviewers, ...metadata } = await resolveMergeRequestMetadata(
    uow,
    project,
    before,
    pickPermittedInput(access, input),
  );
  const title = input.title ?? row.title;
  const columns = pickChangedColumns<MergeRequest>(row, {
    title,
    draft: isDraft(title),
    description: input.description === undefined ? row.description : input.description,
    ...metadata,
    ...resolvedColumns,
  });
  const { id } = row;
  const labelIds = before.labels.map((label) => label.id);
  await updateLabels(uow, MERGE_REQUESTS, id, { before: labelIds, after: labels });
  await updateAssignees(uow, MERGE_REQUESTS, id, { before: before.assignees, after: assignees });
  await updateAssignees(uow, MERGE_REQUESTS_BY_REVIEWER, id, { before: before.reviewers, after: reviewers });
  const isChanged =
    Object.keys(columns).length > 0 ||
    !isSameSet(labelIds, labels) ||
    !isSameSet(before.assignees, assignees) ||
    !isSameSet(before.reviewers, reviewers);
  if (isChanged)
    await updateMergeRequestRow(uow, id, { ...columns, ...derivedTextColumns(columns), updated_at: uow.now });
  if ('target_branch' in columns) await abortAutoMerges(uow, [id], 'target branch was changed');
  if (columns.state === 'closed') await abortAutoMerges(uow, [id], 'merge request was closed');
  if ('title' in columns) await enqueueAutoMergeIfEnabled(uow, id);
  if (columns.merge_after !== undefined) await enqueueAutoMergeAfter(uow, id, columns.merge_after);
  if (heads !== null) await enqueueMergeCheck(uow, project.id);
  if (heads !== null && ('head_sha' in columns || 'target_branch' in columns)) {
    await enqueueHeadRefSync(uow, project.id, [iid]);
    const head = columns.head_sha ?? row.head_sha;
    // If the head has moved since `heads` was read, the comparison is computed later.
    const { start, base } = head === heads.head ? heads : NOT_COMPARED;
    await insertVersion(uow, { id, head, start, base });
  }
  const [updatedMergeRequest] = (await findMergeRequests(uow, uow.actor, [id])) as [MergeRequest];
  if ('description' in columns) await updateClosingIids(uow, updatedMergeRequest);
  await recordIssuableChanges(uow, 'MergeRequest', before, { ...updatedMergeRequest, assignees, reviewers });
  const resource = { type: 'MergeRequest', id } as const;
  await publishIssuableChanges(
    uow,
    resource,
    { ...before, labels: labelIds },
    { ...updatedMergeRequest, labels, assignees, reviewers },
  );
  await publishTextChanges(uow, { ...resource, iid, project }, row, columns);
  return updatedMergeRequest;
}

/** The comparison of a version that is not compared yet. */
const NOT_COMPARED = { start: null, base: null };

/** Returns the target branch after the update; empty if the request clears it. */
const getRequestedTarget = (
  { target_branch: currentTarget }: Pick<MergeRequest, 'target_branch'>,
  { target_branch }: UpdateMergeRequestInput,
) => (target_branch === undefined ? currentTarget : (target_branch ?? ''));

/** Returns whether the request clears the target branch. */
const isTargetBlank = ({ target_branch }: UpdateMergeRequestInput) =>
  target_branch !== undefined && (target_branch ?? '').trim() === '';

/**
 * Returns the columns of state, target branch and head after the update, with the merge check reset. A merged merge request does not
 * change. At most one merge request can be open for each pair of branches.
 */
async function resolveStateAndBranches(
  uow: UnitOfWork<SignedInCaller>,
  row: MergeRequest,
  input: UpdateMergeRequestInput,
  head: string | null,
): Promise<Partial<MergeRequest> | Failure<'sameBranches' | 'exists'>> {
  const stateColumns = stateColumnsAfter(row.state, input.state_event, uow);
  if (row.state === 'merged') return {};
  const target = getRequestedTarget(row, input);
  if (target === row.source_branch) return fail('sameBranches');
  const isReopened = stateColumns.state === 'opened';
  if (isReopened || (row.state === 'opened' && stateColumns.state !== 'closed')) {
    const openMergeRequest = await findOpenMergeRequestByBranches(uow, row.project_id, row.source_branch, target);
    if (openMergeRequest !== null && openMergeRequest.id !== row.id)
      return fail('exists', { iid: openMergeRequest.iid });
  }
  const isTargetChanged = target !== row.target_branch;
  return {
    ...stateColumns,
    ...(isTargetChanged ? { target_branch: target } : {}),
    // The head of a closed merge request does not follow its source branch.
    ...(isReopened && head !== null ? { head_sha: head } : {}),
    ...(isReopened || isTargetChanged ? { merge_status: 'unchecked', merge_check: null } : {}),
  };
}

/** Removes the parameters that need the Developer role, unless the caller has it. */
function pickPermittedInput(
  { caller, project }: CurrentAccess,
  input: UpdateMergeRequestInput,
): Partial<UpdateMergeRequestInput> {
  if (mayInProject(caller, 'update_merge_request', project)) return input;
  const { squash, remove_source_branch } = input;
  return { squash, remove_source_branch };
}

/** Returns the row with its labels and the ids of its assignees and reviewers. */
async function loadMetadata(uow: UnitOfWork, row: MergeRequest) {
  const labels = await loadLabels(uow, MERGE_REQUESTS, [row.id]);
  const assigneeRows = await loadAssignees(uow, MERGE_REQUESTS, [row.id]);
  const reviewerRows = await loadAssignees(uow, MERGE_REQUESTS_BY_REVIEWER, [row.id]);
  const toUserIds = (rows: typeof assigneeRows) => rows.map(({ user_id }) => user_id);
  return { ...row, labels, assignees: toUserIds(assigneeRows), reviewers: toUserIds(reviewerRows) };
}

/** Quick actions in comments on merge requests. */
export const mergeRequestQuickActions: QuickActionKind<ProjectIssuable> = {
  async runUnitOfWork(services, caller, { id, project }, { targetBranch, ...options }, work) {
    const [currentMergeRequest] = await findMergeRequests(services.database.forRequest().reader, caller, [id]);
    const mergeRequest = requireRow(currentMergeRequest);
    const input = targetBranch === undefined ? {} : { target_branch: targetBranch };
    return runMergeRequestUpdate(
      services,
      { caller, project, mergeRequest },
      { ...options, input },
      (uow, _access, change) => work(uow, change),
    );
  },
  async loadSubject(uow, caller, { id, project }) {
    const [mergeRequest] = await findMergeRequests(uow, caller, [id]);
    return mergeRequest === undefined ? null : loadMergeRequestSubject(uow, { caller, project }, mergeRequest);
  },
};
