import { type ReorderInput, reorderInList } from '#api/planning/issuables/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssues, type Issue } from '#authorization/issues.ts';
import { requireRow } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { toIssueList } from '../store.ts';

/** Moves an issue after or before another issue in the manual order of the project. Fails with `invalidNeighbor` if the other issue cannot be used. */
export async function reorderIssue(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Pick<Issue, 'id'>,
  input: ReorderInput,
): Promise<Issue | Failure<'invalidNeighbor' | 'notFound'>> {
  const [issue] = await findIssues(uow, uow.actor, [id]);
  if (issue === undefined) return fail('notFound');
  if (!(await reorderInList(uow, toIssueList(issue.project_id), id, input))) return fail('invalidNeighbor');
  return requireRow((await findIssues(uow, uow.actor, [id]))[0]);
}
