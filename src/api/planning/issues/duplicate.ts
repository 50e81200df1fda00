import { duplicatedByText, duplicateOfText } from '#activity/index.ts';
import { createLink, formatIssueReference, type LinkedIssueWithProject } from '#api/planning/link-rows/index.ts';
import { mayComment } from '#api/planning/note-rows/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayUpdateIssue } from '#authorization/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { toProjectIssuable } from '#http/access/noteables.ts';
import { toResource } from './activity.ts';
import { requireIssue, updateIssueRow } from './store.ts';

/** Returns whether the actor may mark the issue as a duplicate of the other: may update it and comment on the other. */
export function mayMarkAsDuplicate(
  { actor }: UnitOfWork<SignedInCaller>,
  { issue, project }: LinkedIssueWithProject,
  other: LinkedIssueWithProject,
): boolean {
  return (
    mayUpdateIssue(actor, project, issue) && mayComment(actor, toProjectIssuable('Issue', other.project, other.issue))
  );
}

/**
 * Records that an issue duplicates another: system notes on both, and a link if the caller may link them. Stores the other issue
 * unless the issue is open again.
 */
export async function markAsDuplicate(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  id: number,
  other: LinkedIssueWithProject,
): Promise<void> {
  const issue = await requireIssue(uow, id);
  const duplicate = { issue, project };
  await uow.record({
    noteOn: toResource(issue),
    text: duplicateOfText(formatIssueReference(project, other)),
    mentionedResource: toResource(other.issue),
  });
  await uow.record({
    noteOn: toResource(other.issue),
    text: duplicatedByText(formatIssueReference(other.project, duplicate)),
    mentionedResource: toResource(issue),
  });
  if (issue.state === 'closed')
    await updateIssueRow(uow, id, { duplicated_to_id: other.issue.id, updated_at: uow.now });
  // As in the reference, issues that cannot be linked are marked all the same.
  await createLink(uow, [duplicate, other], 'relates_to');
}
