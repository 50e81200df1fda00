import type { StateEvent } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Issue } from '#authorization/issues.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** The merge request or commit that closes an issue. */
export type CloseReason = Pick<StateEvent, 'sourceMergeRequestId' | 'sourceCommit'>;

/** Closes an issue because of another event, such as a merge, and records the change. Does nothing if the issue is closed. */
export async function closeIssue(
  uow: UnitOfWork<SignedInCaller>,
  { id, iid, project_id }: Pick<Issue, 'id' | 'iid' | 'project_id'>,
  reason: CloseReason = {},
): Promise<void> {
  // index: issues primary key
  const closedRow = await uow
    .updateTable('issues')
    .set({ state: 'closed', closed_at: uow.now, closed_by_id: uow.actor.user.id, updated_at: uow.now })
    .where('id', '=', id)
    .where('state', '=', 'opened')
    .returning('id')
    .executeTakeFirst();
  if (closedRow === undefined) return;
  await uow.record({ stateOf: { type: 'Issue', id }, state: 'closed', ...reason });
  const target = { type: 'Issue', id, iid } as const;
  await uow.record({ projectId: project_id, authorId: uow.actor.user.id, action: 'closed', target });
}
