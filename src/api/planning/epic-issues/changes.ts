import type { ExpressionBuilder } from 'kysely';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { type Epic, findEpics } from '#authorization/epics.ts';
import { findIssues, issueVisibleTo } from '#authorization/issues.ts';
import type { Schema } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure, requireRow } from '#runtime/failure.ts';
import { addIssueToEpic, findEpicIssueAssociation, removeIssueFromEpic, toEpicIssueList } from '../epics/index.ts';
import { type ReorderInput, reorderInList } from '../issuables/index.ts';
import type { IssueWithProject } from './access.ts';
import type { EpicIssueLinkRow } from './entities.ts';
import { type EpicIssueListRow, listIssuesOfEpic } from './store.ts';

/**
 * Adds an issue to an epic, before its other issues, and removes it from its former epic. The caller must be a member of
 * the issue's project. Checks confidentiality last, because the other errors come first; the failure rolls the addition back.
 */
export async function addIssue(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Epic,
  { issue: { id: issueId }, project }: IssueWithProject,
): Promise<
  EpicIssueLinkRow | Failure<'notFound' | 'noMatchingIssue' | 'alreadyInEpic' | 'archived' | 'issueNotConfidential'>
> {
  if (!mayInProject(uow.actor, 'relate_issue', project)) return fail('noMatchingIssue');
  const [epic] = await findEpics(uow, [id]);
  const [issue] = await findIssues(uow, uow.actor, [issueId]);
  if (epic === undefined || issue === undefined) return fail('notFound');
  const association = await addIssueToEpic(uow, epic, { issue, project });
  if (isFailure(association)) return association;
  if (epic.confidential && !issue.confidential) return fail('issueNotConfidential', { iid: issue.iid });
  return { association, epic, issue: requireRow((await findIssues(uow, uow.actor, [issueId]))[0]) };
}

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

const FIRST_PAGE = { kind: 'offset', page: 1, perPage: 20 } as const;

/** Moves an issue of the epic before or after another one, if one is given. Returns the first page of the epic's issues. */
export async function reorderIssue(
  uow: UnitOfWork<SignedInCaller>,
  epic: Epic,
  associationId: number,
  { project }: IssueWithProject,
  input: ReorderInput,
): Promise<readonly EpicIssueListRow[] | Failure<'notFound' | 'forbidden' | 'invalidNeighbor'>> {
  if (!mayInProject(uow.actor, 'relate_issue', project)) return fail('forbidden');
  if ((await findEpicIssueAssociation(uow, epic.id, associationId)) === null) return fail('notFound');
  const hasNeighbor = input.move_before_id != null || input.move_after_id != null;
  const neighborId = input.move_before_id ?? input.move_after_id ?? 0;
  if (hasNeighbor && !(await isVisibleAssociation(uow, epic, neighborId))) return fail('invalidNeighbor');
  if (hasNeighbor && !(await reorderInList(uow, toEpicIssueList(epic.id), associationId, input)))
    return fail('invalidNeighbor');
  return (await listIssuesOfEpic(uow, uow.actor, epic, FIRST_PAGE)).items;
}

/**
 * Returns whether the association belongs to the epic and the caller may read its issue.
 * index: epic_issues primary key, issues primary key
 */
async function isVisibleAssociation(uow: UnitOfWork, { id: epicId }: Epic, associationId: number): Promise<boolean> {
  const association = await uow
    .selectFrom('epic_issues')
    .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select('epic_issues.id')
    .where('epic_issues.id', '=', associationId)
    .where('epic_issues.epic_id', '=', epicId)
    // The condition needs two of the three joined tables.
    .where((eb) =>
      issueVisibleTo(uow.actor, uow.today)(eb as unknown as ExpressionBuilder<Schema, 'issues' | 'projects'>),
    )
    .executeTakeFirst();
  return association !== undefined;
}
