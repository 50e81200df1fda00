import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { type Epic, findEpics } from '#authorization/epics.ts';
import { findIssues } from '#authorization/issues.ts';
import { requireRow } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { addIssueToEpic } from '../epics/index.ts';
import type { IssueWithProject } from './access.ts';
import type { EpicIssueLinkRow } from './entities.ts';

/**
 * Adds an issue to an epic, before its other issues, and removes it from its former epic. The caller must be a member of
 * the issue's project. The check for confidential epics comes last: a failure rolls the addition back.
 */
export async function addIssue(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Epic,
  { issue: { id: issueId }, project }: IssueWithProject,
): Promise<
  EpicIssueLinkRow | Failure<'notFound' | 'noMatchingIssue' | 'alreadyInEpic' | 'archived' | 'issueNotConfidential'>
> {
  if (!mayInProject(uow.actor, 'relate_issue', project)) return fail('noMatchingIssue');
  const [[epic], [issue]] = [await findEpics(uow, [id]), await findIssues(uow, uow.actor, [issueId])];
  if (epic === undefined || issue === undefined) return fail('notFound');
  const association = await addIssueToEpic(uow, epic, { issue, project });
  if (isFailure(association)) return association;
  if (epic.confidential && !issue.confidential) return fail('issueNotConfidential', { iid: issue.iid });
  return { association, epic, issue: requireRow((await findIssues(uow, uow.actor, [issueId]))[0]) };
}
