import { APPROVED_TEXT, UNAPPROVED_TEXT } from '#activity/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import type { Tier } from '#config.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteApproval, insertApproval, loadApprovals, updateReviewState } from './store.ts';

/** A merge request whose approvals have changed. */
export interface ApprovedMergeRequest {
  readonly mergeRequest: MergeRequest;
  readonly project: Project;
}

/** Approves a merge request as the caller. Fails if `sha` is given and is not the head commit. */
export async function approve(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { id, iid }: MergeRequest,
  sha: string | null | undefined,
): Promise<ApprovedMergeRequest | Failure<'shaDiffers' | 'notAllowed'>> {
  const mergeRequest = await findMergeRequest(uow, uow.actor, project.id, iid);
  if (mergeRequest === null) return fail('notAllowed');
  if (sha && sha !== mergeRequest.head_sha) return fail('shaDiffers', { sha: mergeRequest.head_sha });
  const approverIds = (await loadApprovals(uow, [id])).map(({ user_id }) => user_id);
  if (!canApprove({ tier: uow.tier, caller: uow.actor, project, mergeRequest, approverIds })) return fail('notAllowed');
  const { id: userId } = uow.actor.user;
  if (!(await insertApproval(uow, { mergeRequestId: id, userId }))) return fail('notAllowed');
  await updateReviewState(uow, { mergeRequestId: id, userId }, 'approved');
  await uow.record({ noteOn: { type: 'MergeRequest', id }, text: APPROVED_TEXT });
  const target = { type: 'MergeRequest', id, iid } as const;
  await uow.record({ projectId: project.id, authorId: userId, action: 'approved', target });
  await uow.publish('merge-request-approved', { mergeRequestId: id, userId });
  return { mergeRequest, project };
}

/** Removes the caller's approval. Fails if there is none or the merge request is merged. */
export async function unapprove(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { id, iid }: MergeRequest,
): Promise<ApprovedMergeRequest | Failure<'notApproved'>> {
  const mergeRequest = await findMergeRequest(uow, uow.actor, project.id, iid);
  if (mergeRequest === null || mergeRequest.state === 'merged') return fail('notApproved');
  const approval = { mergeRequestId: id, userId: uow.actor.user.id };
  if (!(await deleteApproval(uow, approval))) return fail('notApproved');
  await updateReviewState(uow, approval, 'unapproved');
  await uow.record({ noteOn: { type: 'MergeRequest', id }, text: UNAPPROVED_TEXT });
  return { mergeRequest, project };
}

interface ApprovalContext {
  readonly tier: Tier;
  readonly caller: Caller;
  readonly project: Project;
  readonly mergeRequest: Pick<MergeRequest, 'author_id' | 'state'>;
  /** Ids of the users who have approved. */
  readonly approverIds: readonly number[];
}

/** Returns whether the caller may approve now. Authors may approve their own merge requests only on the free tier. */
export function canApprove({ tier, caller, project, mergeRequest, approverIds }: ApprovalContext): boolean {
  if (caller.user === null || !mayInProject(caller, 'update_merge_request', project)) return false;
  const { id } = caller.user;
  if (mergeRequest.state === 'merged' || approverIds.includes(id)) return false;
  return tier === 'free' || mergeRequest.author_id !== id;
}
