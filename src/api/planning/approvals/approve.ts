import { APPROVED, UNAPPROVED } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mayApprove } from './approval-permission.ts';
import type { ApprovedRow } from './entities.ts';
import { approvalsOf, deleteApproval, insertApproval, setReview } from './store.ts';

/** The caller approves of it, as its head is if he says so. */
export async function approve(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { id, iid }: MergeRequest,
  sha: string | null | undefined,
): Promise<ApprovedRow | Failure<'shaDiffers' | 'notAllowed'>> {
  const mergeRequest = await findMergeRequest(uow, uow.actor, project.id, iid);
  if (mergeRequest === null) return fail('notAllowed');
  if (sha && sha !== mergeRequest.head_sha) return fail('shaDiffers', { sha: mergeRequest.head_sha });
  const approvedBy = (await approvalsOf(uow, [id])).map(({ user_id }) => user_id);
  if (!mayApprove({ tier: uow.tier, caller: uow.actor, project, mergeRequest, approvedBy })) return fail('notAllowed');
  const { id: userId } = uow.actor.user;
  await insertApproval(uow, { id, userId });
  await setReview(uow, { id, userId }, 'approved');
  await uow.record({ noteOn: { type: 'MergeRequest', id }, text: APPROVED });
  const target = { type: 'MergeRequest', id, iid } as const;
  await uow.record({ projectId: project.id, authorId: userId, action: 'approved', target });
  await uow.publish('approved', { mergeRequestId: id, userId });
  return { mergeRequest, project };
}

/** He does no longer. */
export async function unapprove(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { id, iid }: MergeRequest,
): Promise<ApprovedRow | Failure<'notApproved'>> {
  const mergeRequest = await findMergeRequest(uow, uow.actor, project.id, iid);
  if (mergeRequest === null || mergeRequest.state === 'merged') return fail('notApproved');
  const approval = { id, userId: uow.actor.user.id };
  if (!(await deleteApproval(uow, approval))) return fail('notApproved');
  await setReview(uow, approval, 'unapproved');
  await uow.record({ noteOn: { type: 'MergeRequest', id }, text: UNAPPROVED });
  return { mergeRequest, project };
}
