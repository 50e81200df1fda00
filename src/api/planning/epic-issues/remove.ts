import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Epic } from '#authorization/epics.ts';
import { findIssues } from '#authorization/issues.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findEpicIssueAssociation, removeIssueFromEpic } from '../epics/index.ts';
import type { IssueWithProject } from './access.ts';
import type { EpicIssueLinkRow } from './entities.ts';

/** Removes an issue from the epic and returns the former association. The caller must be a member of its project. */
export async function removeIssue(
  uow: UnitOfWork<SignedInCaller>,
  epic: Epic,
  associationId: number,
  child: IssueWithProject,
): Promise<EpicIssueLinkRow | Failure<'notFound' | 'linkNotFound'>> {
  if (!mayInProject(uow.actor, 'relate_issue', child.project)) return fail('linkNotFound');
  const association = await findEpicIssueAssociation(uow, epic.id, associationId);
  if (association === null || !(await removeIssueFromEpic(uow, association, child))) return fail('notFound');
  const [issue] = await findIssues(uow, uow.actor, [association.issue_id]);
  return issue === undefined ? fail('notFound') : { association, epic, issue };
}
