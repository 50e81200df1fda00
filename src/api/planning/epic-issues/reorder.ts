import type { ExpressionBuilder } from 'kysely';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Epic } from '#authorization/epics.ts';
import { issueVisibleTo } from '#authorization/issues.ts';
import type { Schema } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findAssociation, lineOf } from '../epics/index.ts';
import { moveInLine, type Neighbours } from '../issuables/index.ts';
import type { Child } from './access.ts';
import { type IssueOfEpic, listIssuesOf } from './store.ts';

const FIRST_PAGE = { kind: 'offset', page: 1, perPage: 20 } as const;

/** Puts an issue of the epic behind or before another one; then how the epic begins. */
export async function reorderIssue(
  uow: UnitOfWork<SignedInCaller>,
  epic: Epic,
  associationId: number,
  { project }: Child,
  neighbours: Neighbours,
): Promise<readonly IssueOfEpic[] | Failure<'gone' | 'forbidden' | 'noNeighbour'>> {
  if (!mayInProject(uow.actor, 'relate_issue', project)) return fail('forbidden');
  if ((await findAssociation(uow, epic.id, associationId)) === null) return fail('gone');
  const isSent = neighbours.move_before_id != null || neighbours.move_after_id != null;
  const neighbour = neighbours.move_before_id ?? neighbours.move_after_id ?? 0;
  if (isSent && !(await isSeen(uow, epic, neighbour))) return fail('noNeighbour');
  if (isSent && !(await moveInLine(uow, lineOf(epic.id), associationId, neighbours))) return fail('noNeighbour');
  return (await listIssuesOf(uow, uow.actor, epic, FIRST_PAGE)).items;
}

/** Is it the association of an issue that the caller may read? Others are none to him. index: epic_issues primary key, issues primary key */
async function isSeen(uow: UnitOfWork, { id: epicId }: Epic, associationId: number): Promise<boolean> {
  const seen = await uow
    .selectFrom('epic_issues')
    .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select('epic_issues.id')
    .where('epic_issues.id', '=', associationId)
    .where('epic_issues.epic_id', '=', epicId)
    .where((eb) =>
      issueVisibleTo(uow.actor, uow.today)(eb as unknown as ExpressionBuilder<Schema, 'issues' | 'projects'>),
    )
    .executeTakeFirst();
  return seen !== undefined;
}
