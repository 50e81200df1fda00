import { mayInProject } from '#authorization/abilities.ts';
import { findIssues } from '#authorization/issues.ts';
import { findMergeRequests } from '#authorization/merge-requests.ts';
import { canSeeProject, findProject } from '#domain/namespaces/projects.ts';
import { findMentionedIds, ISSUES, loadLabels, MERGE_REQUESTS } from '../issuables/index.ts';
import { replaceUrlsByReferences } from './arguments.ts';
import {
  applyChange,
  type CommandResult,
  ISSUES_ONLY,
  NOT_APPLICABLE,
  PROJECT_TYPES,
  type QuickAction,
  type QuickActionContext,
} from './command-context.ts';

// Quick actions that move an issue, make it an incident, or copy the metadata of another.

/** Moves the issue after the update and the comment, so that the copy has both. */
async function moveIssue(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const { uow, subject } = context;
  const { issue } = subject;
  if (issue === undefined || issue.isMoved) return NOT_APPLICABLE;
  if (argument === '') return null;
  const isId = /^\d+$/.test(argument);
  const target = isId ? null : await findProject(uow, uow.actor, argument);
  if (target === null || !canSeeProject(uow.actor, target))
    return "Unable to move. Target project or group doesn't exist or doesn't support this item type.";
  if (!mayInProject(uow.actor, 'update_issue', target)) return 'Unable to move. Insufficient permissions.';
  context.afterUpdate.push(() => issue.moveTo(target.id));
  return `Moved this item to ${argument}.`;
}

function promoteToIncident(context: QuickActionContext): CommandResult {
  if (context.currentState.issue_type === 'incident') return NOT_APPLICABLE;
  applyChange(context, { issue_type: 'incident' });
  return 'Issue has been promoted to incident';
}

/** Adds the labels and sets the milestone of another issue or merge request of the project. */
async function copyMetadata(context: QuickActionContext, argument: string): Promise<CommandResult> {
  if (argument === '') return null;
  const source = await findMetadataSource(context, argument);
  if (source === null) return 'Could not apply copy_metadata command. Failed to find work item or merge request.';
  if (source.projectId !== context.subject.parent.project?.id) return null;
  const { labels } = context.currentState;
  const addedLabels = source.labels.filter(({ id }) => !labels.some((label) => label.id === id));
  applyChange(context, { labels: [...labels, ...addedLabels] });
  context.changes.add_label_ids = source.labels.map(({ id }) => id);
  if (source.milestoneId !== null) {
    applyChange(context, { milestone_id: source.milestoneId });
    context.changes.milestone_id = source.milestoneId;
  }
  return `Copied labels and milestone from ${source.reference}.`;
}

async function findMetadataSource({ uow, subject }: QuickActionContext, argument: string) {
  const texts = [replaceUrlsByReferences(argument)];
  const [issueId] = await findMentionedIds(uow, uow.actor, subject.parent, { type: 'Issue', texts });
  const [issue] = issueId === undefined ? [] : await findIssues(uow, uow.actor, [issueId]);
  if (issue !== undefined) {
    const labels = await loadLabels(uow, ISSUES, [issue.id]);
    return { projectId: issue.project_id, milestoneId: issue.milestone_id, labels, reference: `#${issue.iid}` };
  }
  const [id] = await findMentionedIds(uow, uow.actor, subject.parent, { type: 'MergeRequest', texts });
  const [mergeRequest] = id === undefined ? [] : await findMergeRequests(uow, uow.actor, [id]);
  if (mergeRequest === undefined) return null;
  const { project_id: projectId, milestone_id: milestoneId, iid } = mergeRequest;
  return {
    projectId,
    milestoneId,
    labels: await loadLabels(uow, MERGE_REQUESTS, [mergeRequest.id]),
    reference: `!${iid}`,
  };
}

export const ISSUE_ACTIONS = [
  { names: ['move'], noteableTypes: ISSUES_ONLY, requiredRight: 'manage', run: moveIssue },
  {
    names: ['promote_to_incident'],
    noteableTypes: ISSUES_ONLY,
    availableAtCreation: true,
    requiredRight: 'manage',
    run: promoteToIncident,
  },
  {
    names: ['copy_metadata'],
    noteableTypes: PROJECT_TYPES,
    availableAtCreation: true,
    requiredRight: 'manage',
    run: copyMetadata,
  },
] as const satisfies readonly QuickAction[];
