import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { type CurrentAccess, requireAbility } from '#authorization/current-access.ts';
import { findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import { allocateIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure, requireRow } from '#runtime/failure.ts';
import { newStateColumns, recordIssuableCreated, recordMentions, validateTitle } from '../issuables/index.ts';
import {
  applyDescriptionCommands,
  findTargetBranch,
  parseQuickActions,
  runAfterUpdate,
} from '../quick-actions/index.ts';
import {
  insertMergeRequestWithRelations,
  isDraft,
  mergeRequestsLockKey,
  resolveMergeRequestMetadata,
} from './changes.ts';
import { type BranchHeads, runWithBranchHeads } from './heads/branch-heads.ts';
import type { createMergeRequestParams } from './parameters.ts';
import { newMergeRequestSubject } from './quick-actions.ts';
import { findOpenMergeRequestByBranches } from './store.ts';
import { updateMergeRequestWithQuickActions } from './update.ts';

type CreateMergeRequestParams = ParameterValues<typeof createMergeRequestParams>;
type CreateMergeRequestInput = Pick<CreateMergeRequestParams, 'title' | 'source_branch' | 'target_branch'> &
  Partial<CreateMergeRequestParams>;
type CreateMergeRequestFailure = 'notAFork' | 'sameBranches' | 'exists' | 'invalid';

/** Creates a merge request between two branches of the project. At most one can be open for each pair of branches. */
export async function createMergeRequest(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  params: CreateMergeRequestInput,
): Promise<MergeRequest | Failure<CreateMergeRequestFailure | 'notFound'>> {
  const input = { ...params, target_branch: await chooseTargetBranch(services, project, params) };
  if (input.target_project_id != null && input.target_project_id !== project.id) return fail('notAFork');
  if (input.source_branch === input.target_branch) return fail('sameBranches');
  const branches = { source: input.source_branch, head: null, target: input.target_branch };
  const options = { lock: mergeRequestsLockKey(project) };
  // The heads are null only if `branches` is null.
  return runWithBranchHeads(services, { caller, project, branches, options }, (uow, access, heads) =>
    createWithQuickActions(uow, access, input, heads!),
  );
}

/** Returns the target branch that the description's quick actions name, if it exists, else the requested one. */
async function chooseTargetBranch(
  { git }: RefServices,
  project: Project,
  { description, target_branch: requestedBranch }: CreateMergeRequestInput,
): Promise<string> {
  const branch = findTargetBranch(parseQuickActions(description));
  if (branch === undefined) return requestedBranch;
  return (await findBranchHead(getRepository(git, project), branch)) === null ? requestedBranch : branch;
}

async function createWithQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  access: CurrentAccess,
  params: CreateMergeRequestInput,
  heads: BranchHeads,
): Promise<MergeRequest | Failure<CreateMergeRequestFailure | 'notFound'>> {
  const { input, afterUpdate, closesAfterCreation } = await applyDescriptionCommands(uow, params, async () =>
    newMergeRequestSubject(uow, access.project, params.title),
  );
  const mergeRequest = await insertNewMergeRequest(uow, access, input, heads);
  if (isFailure(mergeRequest)) return mergeRequest;
  const updatedMergeRequest = await runAfterUpdate(mergeRequest, afterUpdate, async (id) =>
    requireRow((await findMergeRequests(uow, uow.actor, [id]))[0]),
  );
  return closesAfterCreation && !isFailure(updatedMergeRequest)
    ? updateMergeRequestWithQuickActions(uow, access, mergeRequest.iid, { state_event: 'close' }, null)
    : updatedMergeRequest;
}

async function insertNewMergeRequest(
  uow: UnitOfWork<SignedInCaller>,
  access: CurrentAccess,
  input: CreateMergeRequestInput,
  { head, start, base }: BranchHeads,
): Promise<MergeRequest | Failure<CreateMergeRequestFailure>> {
  requireAbility(access, 'create_merge_request');
  const { project } = access;
  const openMergeRequest = await findOpenMergeRequestByBranches(
    uow,
    project.id,
    input.source_branch,
    input.target_branch,
  );
  if (openMergeRequest !== null) return fail('exists', { iid: openMergeRequest.iid });
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    source_branch: head === null ? ['is invalid'] : [],
    target_branch: start === null ? ['is invalid'] : [],
  });
  if (errors || head === null) return invalid(errors ?? {});
  const { labels, assignees, reviewers, ...metadata } = await resolveMergeRequestMetadata(
    uow,
    project,
    getDefaultMetadata(project),
    input,
  );
  const iid = await allocateIid(uow, { projectId: project.id }, 'merge_request');
  const description = input.description ?? null;
  const mergeRequest = await insertMergeRequestWithRelations(uow, {
    project_id: project.id,
    iid,
    title: input.title,
    description,
    author_id: uow.actor.user.id,
    draft: isDraft(input.title),
    source_branch: input.source_branch,
    target_branch: input.target_branch,
    merge_status: 'unchecked',
    ...metadata,
    ...newStateColumns(uow.now),
    labels,
    assignees,
    reviewers,
    comparison: { head, start, base },
  });
  await recordIssuableCreated(uow, 'MergeRequest', mergeRequest);
  await recordMentions(uow, { type: 'MergeRequest', id: mergeRequest.id, iid, project }, [
    input.title,
    description ?? '',
  ]);
  return mergeRequest;
}

/** Returns the default metadata, to which the metadata of the request is applied. */
function getDefaultMetadata(project: Project) {
  const { squash_option } = parseStoredAttributes(project);
  return {
    discussion_locked: null,
    milestone_id: null,
    merge_after: null,
    squash: squash_option === 'always' || squash_option === 'default_on',
    force_remove_source_branch: null,
    assignees: [],
    reviewers: [],
    labels: [],
  };
}
