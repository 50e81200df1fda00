import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Tier } from '#config.ts';
import type { Project } from '#domain/namespaces/projects.ts';

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
