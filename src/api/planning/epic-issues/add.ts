import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { type Epic, findEpics } from '#authorization/epics.ts';
import { findIssues } from '#authorization/issues.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure, refused } from '#runtime/failure.ts';
import { relate } from '../epics/index.ts';
import type { Child } from './access.ts';
import type { EpicIssueLinkRow } from './entities.ts';

/** Puts an issue of a project that the caller is a member of into an epic, at its front; out of another one it goes. */
export async function addIssue(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Epic,
  { issue: { id: issueId }, project }: Child,
): Promise<EpicIssueLinkRow | Failure<'gone' | 'noMatch' | 'assigned' | 'archived' | 'public'>> {
  if (!mayInProject(uow.by, 'relate_issue', project)) return refused('noMatch');
  const [[epic], [issue]] = [await findEpics(uow, [id]), await findIssues(uow, uow.by, [issueId])];
  if (epic === undefined || issue === undefined) return refused('gone');
  const association = await relate(uow, epic, { issue, project });
  if (isFailure(association)) return association;
  if (epic.confidential && !issue.confidential) return refused('public', { iid: issue.iid });
  return { association, epic, issue: stillThere((await findIssues(uow, uow.by, [issueId]))[0]) };
}
