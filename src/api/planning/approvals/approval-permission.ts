import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Tier } from '#config.ts';
import type { Project } from '#domain/namespaces/projects.ts';

interface Approving {
  readonly tier: Tier;
  readonly caller: Caller;
  readonly project: Project;
  readonly mergeRequest: Pick<MergeRequest, 'author_id' | 'state'>;
  /** Who has approved already. */
  readonly approvedBy: readonly number[];
}

/** Would it succeed if he approved of it now? His own work only where nobody offers more. */
export function mayApprove({ tier, caller, project, mergeRequest, approvedBy }: Approving): boolean {
  if (caller.user === null || !mayInProject(caller, 'update_merge_request', project)) return false;
  const { id } = caller.user;
  if (mergeRequest.state === 'merged' || approvedBy.includes(id)) return false;
  return tier === 'free' || mergeRequest.author_id !== id;
}
