import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Epic } from '#authorization/epics.ts';
import { findIssues } from '#authorization/issues.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findAssociation, unrelate } from '../epics/index.ts';
import type { Child } from './access.ts';
import type { EpicIssueLinkRow } from './entities.ts';

/** Takes an issue of a project that the caller is a member of out of the epic, and tells what was. */
export async function removeIssue(
  uow: UnitOfWork<SignedInCaller>,
  epic: Epic,
  associationId: number,
  child: Child,
): Promise<EpicIssueLinkRow | Failure<'gone' | 'noLink'>> {
  if (!mayInProject(uow.actor, 'relate_issue', child.project)) return fail('noLink');
  const association = await findAssociation(uow, epic.id, associationId);
  if (association === null || !(await unrelate(uow, association, child))) return fail('gone');
  const [issue] = await findIssues(uow, uow.actor, [association.issue_id]);
  return issue === undefined ? fail('gone') : { association, epic, issue };
}
