import { findIssues } from '#authorization/issues.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { findMentionedIssueIds } from '../issuables/index.ts';
import {
  createLink,
  deleteLink,
  formatIssueReference,
  getOtherIssueId,
  type IssueLinkKind,
  type LinkedIssueWithProject,
  loadLinksOfIssue,
} from '../link-rows/index.ts';
import { joinAsSentence, replaceUrlsByReferences } from './arguments.ts';
import {
  applyChange,
  type CommandResult,
  ISSUES_ONLY,
  NOT_APPLICABLE,
  type QuickAction,
  type QuickActionContext,
} from './command-context.ts';

// Quick actions for issue links.

/** Returns the ids of the readable issues that the argument names, up to 100. */
function findIssueIds({ uow, subject }: QuickActionContext, argument: string): Promise<number[]> {
  return findMentionedIssueIds(uow, uow.actor, subject.parent, [replaceUrlsByReferences(argument)]);
}

/** Loads the issues with their projects. */
async function loadIssues({ uow }: QuickActionContext, ids: readonly number[]): Promise<LinkedIssueWithProject[]> {
  const issues: LinkedIssueWithProject[] = [];
  for (const issue of await findIssues(uow, uow.actor, ids)) {
    const project = await findProject(uow, uow.actor, String(issue.project_id));
    if (project !== null) issues.push({ issue, project });
  }
  return issues;
}

/**
 * Links the issues. `relation`: the words in the message between the other issues and this one. As in the reference, the
 * message names all issues, even those that cannot be linked. Only this issue is locked, so concurrent commands may exceed
 * the maximum number of links of another issue.
 */
async function linkIssues(
  context: QuickActionContext,
  argument: string,
  kind: IssueLinkKind,
  relation: string,
): Promise<CommandResult> {
  if (kind !== 'relates_to' && context.uow.tier === 'free') return NOT_APPLICABLE;
  if (argument === '') return null;
  const otherIds = await findIssueIds(context, argument);
  context.afterUpdate.push(async (id) => {
    const [issue] = await loadIssues(context, [id]);
    if (issue === undefined) return;
    for (const other of await loadIssues(context, otherIds)) await createLink(context.uow, [issue, other], kind);
  });
  const type = context.currentState.issue_type ?? 'issue';
  return `Added ${joinAsSentence(argument.split(/\s+/))} as a linked item ${relation} this ${type}.`;
}

/** Deletes the link with the first of the named issues. */
async function unlinkIssue(context: QuickActionContext, argument: string): Promise<CommandResult> {
  if (argument === '') return null;
  const { uow, subject } = context;
  const [otherId] = await findIssueIds(context, argument);
  const links = subject.noteable === null ? [] : await loadLinksOfIssue(uow, subject.noteable.id);
  const link = links.find((candidate) => getOtherIssueId(candidate, subject.noteable!.id) === otherId);
  const [issue, other] = link === undefined ? [] : await loadIssues(context, [subject.noteable!.id, otherId!]);
  if (link === undefined || issue === undefined || other === undefined)
    return 'No linked issue matches the provided parameter.';
  context.afterUpdate.push(() => deleteLink(uow, link, [issue, other]));
  return `Removed linked item ${formatIssueReference(issue.project, other)}.`;
}

/** Closes the issue as a duplicate of the first of the named issues. As in the reference, the message has the URL of the other issue. */
async function markAsDuplicate(context: QuickActionContext, argument: string): Promise<CommandResult> {
  const { issue, noteable } = context.subject;
  if (issue === undefined) return NOT_APPLICABLE;
  if (argument === '') return null;
  const type = context.currentState.issue_type === 'incident' ? 'Incident' : 'Issue';
  const [other] = await loadIssues(context, (await findIssueIds(context, argument)).slice(0, 1));
  if (other === undefined) return `Failed to mark this ${type} as a duplicate because referenced item was not found.`;
  if (other.issue.id === noteable?.id) return `Failed to mark the ${type} as duplicate of itself.`;
  if (!issue.mayMarkAsDuplicateOf(other))
    return `Failed to mark this ${type} as duplicate due to insufficient permissions.`;
  applyChange(context, { state: 'closed' });
  context.changes.canonical_issue_id = other.issue.id;
  context.afterUpdate.push(() => issue.markAsDuplicateOf(other));
  const url = `${context.baseUrl}/${other.project.full_path}/-/issues/${other.issue.iid}`;
  return `Closed this ${type}. Marked as related to, and a duplicate of, ${url}.`;
}

const LINK_ACTION_DEFAULTS = { noteableTypes: ISSUES_ONLY, availableAtCreation: true, requiredRight: 'link' } as const;

export const LINK_ACTIONS = [
  {
    ...LINK_ACTION_DEFAULTS,
    names: ['relate'],
    run: (context, argument) => linkIssues(context, argument, 'relates_to', 'related to'),
  },
  {
    ...LINK_ACTION_DEFAULTS,
    names: ['blocks'],
    run: (context, argument) => linkIssues(context, argument, 'blocks', 'blocked by'),
  },
  {
    ...LINK_ACTION_DEFAULTS,
    names: ['blocked_by'],
    run: (context, argument) => linkIssues(context, argument, 'is_blocked_by', 'blocking'),
  },
  { ...LINK_ACTION_DEFAULTS, names: ['unlink'], run: unlinkIssue },
  { names: ['duplicate'], noteableTypes: ISSUES_ONLY, requiredRight: 'update', run: markAsDuplicate },
] as const satisfies readonly QuickAction[];
