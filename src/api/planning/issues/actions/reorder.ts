import { moveInLine, type Neighbours } from '#api/planning/issuables/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssues, type Issue } from '#authorization/issues.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { lineOf } from '../store.ts';

/** Puts an issue behind or before another one of its project. */
export async function reorderIssue(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Pick<Issue, 'id'>,
  neighbours: Neighbours,
): Promise<Issue | Failure<'noNeighbour' | 'gone'>> {
  const [issue] = await findIssues(uow, uow.actor, [id]);
  if (issue === undefined) return fail('gone');
  if (!(await moveInLine(uow, lineOf(issue.project_id), id, neighbours))) return fail('noNeighbour');
  return stillThere((await findIssues(uow, uow.actor, [id]))[0]);
}
