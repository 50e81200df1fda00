import { blockedByText, blocksText, relatedToText, relationRemovedText } from '#activity/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssues, type Issue, mayReadIssue } from '#authorization/issues.ts';
import { canSeeProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, requireRow } from '#runtime/failure.ts';
import { buildFullReference } from '../issuables/index.ts';
import { deleteLinkRow, getOtherIssueId, type IssueLinkRow, insertLink, loadLinksOfIssue, MAX_LINKS } from './store.ts';

// Issue links. This module has no endpoints; the link endpoints and quick actions use it.

export {
  findLinkOfIssue,
  getOtherIssueId,
  getReferenceContext,
  type IssueLinkRow,
  type LinkedIssueRow,
  listLinkedIssues,
  loadLinksOfIssue,
} from './store.ts';

/** An issue with its project, loaded for the caller. */
export interface LinkedIssueWithProject {
  readonly issue: Issue;
  readonly project: Project;
}

/** A link, which may just have been deleted, with its two issues. */
export interface IssueLinkEnds {
  readonly link: IssueLinkRow;
  /** The issue in the path. */
  readonly pathIssue: LinkedIssueWithProject;
  readonly otherIssue: LinkedIssueWithProject;
}

/** Returns the lock key for creating links of an issue: concurrent requests must not exceed the maximum number of links. */
export const issueLinksLockKey = (issue: { readonly id: number }): string => `links of issue ${issue.id}`;

/** Returns whether the caller may link the issue to others. */
function mayLinkIssue(caller: Caller, { issue, project }: LinkedIssueWithProject): boolean {
  return (
    canSeeProject(caller, project) &&
    mayReadIssue(caller, project, issue) &&
    mayInProject(caller, 'relate_issue', project)
  );
}

/** The type of a link as seen from one issue. */
export type IssueLinkKind = 'relates_to' | 'blocks' | 'is_blocked_by';

type LinkIssuesFailure = 'noLicense' | 'alreadyLinked' | 'linkForbidden' | 'sameIssue' | 'tooManyLinks';

/**
 * Links two issues. Two issues have at most one link, whichever is the source. The caller must hold the locks of both issues
 * (`issueLinksLockKey`).
 */
export async function createLink(
  uow: UnitOfWork<SignedInCaller>,
  [pathIssue, otherIssue]: readonly [LinkedIssueWithProject, LinkedIssueWithProject],
  kind: IssueLinkKind,
): Promise<IssueLinkEnds | Failure<LinkIssuesFailure>> {
  if (kind !== 'relates_to' && uow.tier === 'free') return fail('noLicense');
  const pathIssueLinks = await loadLinksOfIssue(uow, pathIssue.issue.id);
  const otherIssueLinks = await loadLinksOfIssue(uow, otherIssue.issue.id);
  if (pathIssueLinks.some((link) => getOtherIssueId(link, pathIssue.issue.id) === otherIssue.issue.id))
    return fail('alreadyLinked');
  if (!mayLinkIssue(uow.actor, pathIssue) || !mayLinkIssue(uow.actor, otherIssue)) return fail('linkForbidden');
  const { iid } = otherIssue.issue;
  if (pathIssue.issue.id === otherIssue.issue.id) return fail('sameIssue', { iid });
  if (pathIssueLinks.length >= MAX_LINKS || otherIssueLinks.length >= MAX_LINKS) return fail('tooManyLinks', { iid });
  const [source, target] = kind === 'is_blocked_by' ? [otherIssue, pathIssue] : [pathIssue, otherIssue];
  const type = kind === 'relates_to' ? kind : 'blocks';
  const link = await insertLink(uow, { sourceId: source.issue.id, targetId: target.issue.id, type });
  if (link === undefined) return fail('alreadyLinked');
  await recordLinkNotes(uow, [pathIssue, otherIssue], NOTE_FORMATTERS[kind]);
  return { link, pathIssue: await reloadIssue(uow, pathIssue), otherIssue: await reloadIssue(uow, otherIssue) };
}

/** Reloads an issue, because its count of blocked issues has changed. */
async function reloadIssue(
  uow: UnitOfWork<SignedInCaller>,
  { issue, project }: LinkedIssueWithProject,
): Promise<LinkedIssueWithProject> {
  const [reloadedIssue] = await findIssues(uow, uow.actor, [issue.id]);
  return { issue: requireRow(reloadedIssue), project };
}

/** Deletes a link and returns it. */
export async function deleteLink(
  uow: UnitOfWork<SignedInCaller>,
  link: IssueLinkRow,
  [pathIssue, otherIssue]: readonly [LinkedIssueWithProject, LinkedIssueWithProject],
): Promise<IssueLinkEnds | Failure<'unlinkForbidden' | 'notFound'>> {
  if (!mayLinkIssue(uow.actor, pathIssue) || !mayLinkIssue(uow.actor, otherIssue)) return fail('unlinkForbidden');
  if (!(await deleteLinkRow(uow, link.id))) return fail('notFound');
  await recordLinkNotes(uow, [pathIssue, otherIssue], [relationRemovedText, relationRemovedText]);
  return { link, pathIssue, otherIssue };
}

type LinkNoteFormatter = typeof relatedToText;

/** Note texts for the issue in the path and for the other issue. */
const NOTE_FORMATTERS = {
  relates_to: [relatedToText, relatedToText],
  blocks: [blocksText, blockedByText],
  is_blocked_by: [blockedByText, blocksText],
} as const satisfies Record<IssueLinkKind, readonly [LinkNoteFormatter, LinkNoteFormatter]>;

/** Formats the reference of an issue as seen from a project: `#3`, `project#3`, `group/project#3`. */
export function formatIssueReference(
  fromProject: Project,
  { issue: { id, iid }, project }: LinkedIssueWithProject,
): string {
  if (project.id === fromProject.id) return `#${iid}`;
  if (project.namespace_id === fromProject.namespace_id) return `${project.path}#${iid}`;
  return buildFullReference({ type: 'Issue', id, iid, project });
}

/** Creates a system note on each issue, visible to readers of the other issue. References within one project are short (`#1`). */
async function recordLinkNotes(
  uow: UnitOfWork,
  [pathIssue, otherIssue]: readonly [LinkedIssueWithProject, LinkedIssueWithProject],
  texts: readonly [LinkNoteFormatter, LinkNoteFormatter],
): Promise<void> {
  const inSameProject = pathIssue.project.id === otherIssue.project.id;
  const toReference = ({ issue: { id, iid }, project }: LinkedIssueWithProject) =>
    inSameProject ? `#${iid}` : buildFullReference({ type: 'Issue', id, iid, project });
  const pathResource = { type: 'Issue', id: pathIssue.issue.id } as const;
  const otherResource = { type: 'Issue', id: otherIssue.issue.id } as const;
  // The second argument tells whether the note is the backlink.
  await uow.record({
    noteOn: pathResource,
    text: texts[0](toReference(otherIssue), false),
    mentionedResource: otherResource,
  });
  await uow.record({
    noteOn: otherResource,
    text: texts[1](toReference(pathIssue), true),
    mentionedResource: pathResource,
  });
}
