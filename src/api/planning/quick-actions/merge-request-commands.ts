import { type CommandResult, NOT_APPLICABLE, type QuickAction, type QuickActionContext } from './command-context.ts';
import type { RebaseObstacle } from './subject.ts';

// Quick actions for approval, merge, rebase and target branch.

async function approve({ subject, afterUpdate }: QuickActionContext): Promise<CommandResult> {
  const { mergeRequest } = subject;
  if (!(await mergeRequest?.mayApprove())) return NOT_APPLICABLE;
  afterUpdate.push(() => mergeRequest!.approve());
  return 'Approved the current merge request.';
}

async function unapprove({ subject, afterUpdate }: QuickActionContext): Promise<CommandResult> {
  const { mergeRequest } = subject;
  if (!(await mergeRequest?.mayUnapprove())) return NOT_APPLICABLE;
  afterUpdate.push(() => mergeRequest!.unapprove());
  return 'Unapproved the current merge request.';
}

/** Merges in the background, and only the commit that the user has seen. */
async function merge({ subject, requestedHead, changes, afterUpdate }: QuickActionContext): Promise<CommandResult> {
  const { mergeRequest } = subject;
  if (mergeRequest === undefined || !(await mergeRequest.mayMerge())) return NOT_APPLICABLE;
  if (!requestedHead) return 'The `/merge` quick action requires the SHA of the head of the branch.';
  if (requestedHead !== mergeRequest.headSha) return 'Branch has been updated since the merge was requested.';
  changes.merge = requestedHead;
  afterUpdate.push(() => mergeRequest.scheduleMerge());
  return (await mergeRequest.mustWaitToMerge()) ? 'Set to auto-merge.' : 'Merged this merge request.';
}

const REBASE_OBSTACLES: Readonly<Record<RebaseObstacle, string>> = {
  forcePushForbidden: 'This merge request branch is protected from force push.',
  conflict: 'This merge request is currently in an unmergeable state, and cannot be rebased.',
  inProgress: 'A rebase is already in progress.',
};

async function rebase({ subject, changes, afterUpdate }: QuickActionContext): Promise<CommandResult> {
  const { mergeRequest } = subject;
  if (mergeRequest === undefined || !(await mergeRequest.mayRebase())) return NOT_APPLICABLE;
  const obstacle = await mergeRequest.findRebaseObstacle();
  if (obstacle !== null) return REBASE_OBSTACLES[obstacle];
  changes.rebase = true;
  afterUpdate.push(() => mergeRequest.scheduleRebase());
  return `Scheduled a rebase of branch ${mergeRequest.sourceBranch}.`;
}

function setTargetBranch(context: QuickActionContext, argument: string): CommandResult {
  if (argument === '') return null;
  // A new merge request gets its target branch before its branches are read.
  if (context.subject.noteable !== null) context.currentState = { ...context.currentState, target_branch: argument };
  context.changes.target_branch = argument;
  return `Set target branch to ${argument}.`;
}

const MERGE_REQUESTS_ONLY = ['MergeRequest'] as const;

export const MERGE_REQUEST_ACTIONS = [
  { names: ['approve'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'see', run: approve },
  { names: ['unapprove'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'see', run: unapprove },
  { names: ['merge'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'see', run: merge },
  { names: ['rebase'], noteableTypes: MERGE_REQUESTS_ONLY, requiredRight: 'see', run: rebase },
  {
    names: ['target_branch'],
    noteableTypes: MERGE_REQUESTS_ONLY,
    availableAtCreation: true,
    requiredRight: 'update',
    run: setTargetBranch,
  },
] as const satisfies readonly QuickAction[];
