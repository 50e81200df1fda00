import { stillThere } from '../../../access/gone.ts';
import { findIssues, type Issue } from '../../../access/issues.ts';
import type { Act } from '../../../facts/act.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { moveInLine, type Neighbours } from '../issuables/index.ts';
import { lineOf } from './store.ts';

/** Puts an issue behind or before another one of its project. */
export async function reorderIssue(
  act: Act<SignedIn>,
  { id }: Pick<Issue, 'id'>,
  neighbours: Neighbours,
): Promise<Issue | Refused<'noNeighbour' | 'gone'>> {
  const [issue] = await findIssues(act, act.by, [id]);
  if (issue === undefined) return refused('gone');
  if (!(await moveInLine(act, lineOf(issue.project_id), id, neighbours))) return refused('noNeighbour');
  return stillThere((await findIssues(act, act.by, [id]))[0]);
}
