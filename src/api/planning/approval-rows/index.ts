import { APPROVED_TEXT, UNAPPROVED_TEXT } from '#activity/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import type { Tier } from '#config.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { ReviewState } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';

// Rows of approvals. This module has no endpoints; the approval endpoints and quick actions use it.

/** A merge request with its project, from which its approvals are serialized. */
export interface ApprovableMergeRequest {
  readonly mergeRequest: MergeRequest;
  readonly project: Project;
}

/** Approves a merge request as the caller. Fails if `sha` is given and is not the head commit. */
export async function addApproval(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { id, iid }: MergeRequest,
  sha: string | null | undefined,
): Promise<ApprovableMergeRequest | Failure<'shaDiffers' | 'notAllowed'>> {
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
export async function removeApproval(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { id, iid }: MergeRequest,
): Promise<ApprovableMergeRequest | Failure<'notApproved'>> {
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

/** The key of a user's approval of a merge request. */
interface ApprovalRef {
  readonly mergeRequestId: number;
  readonly userId: number;
}

/** Loads the approvals of these merge requests, oldest first. index: merge_request_approvals_by_merge_request */
export async function loadApprovals(db: Reader, ids: readonly number[]) {
  const rows = await selectApprovals(db, ids);
  return rows.sort((first, second) => first.id - second.id);
}

const selectApprovals = prepareForIds((db, ids) =>
  db
    .selectFrom('merge_request_approvals')
    .select(['id', 'merge_request_id', 'user_id', 'created_at'])
    .where('merge_request_id', 'in', ids),
);

/** Inserts an approval. Returns false if the user has already approved. index: merge_request_approvals_by_merge_request */
async function insertApproval(tx: Transaction, { mergeRequestId, userId }: ApprovalRef): Promise<boolean> {
  const insertedRow = await tx
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: mergeRequestId, user_id: userId, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return insertedRow !== undefined;
}

/** Deletes an approval. Returns whether it existed. index: merge_request_approvals_by_merge_request */
async function deleteApproval(tx: Transaction, { mergeRequestId, userId }: ApprovalRef): Promise<boolean> {
  const deletedRow = await tx
    .deleteFrom('merge_request_approvals')
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return deletedRow !== undefined;
}

/** Deletes all approvals of a merge request. index: merge_request_approvals_by_merge_request */
export async function deleteApprovals(tx: Transaction, mergeRequestId: number): Promise<void> {
  await tx.deleteFrom('merge_request_approvals').where('merge_request_id', '=', mergeRequestId).execute();
}

/** Updates the review state if the user is a reviewer. index: merge_request_reviewers_by_merge_request */
export async function updateReviewState(
  tx: Transaction,
  { mergeRequestId, userId }: ApprovalRef,
  state: ReviewState,
): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .execute();
}

/** Resets the review state of all reviewers who had approved. index: merge_request_reviewers_by_merge_request */
export async function resetReviewStates(tx: Transaction, mergeRequestId: number): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state: 'unapproved' })
    .where('merge_request_id', '=', mergeRequestId)
    .where('state', '=', 'approved')
    .execute();
}
