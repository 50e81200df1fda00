import { stillThere } from '../../../access/gone.ts';
import { findIssues, type Issue } from '../../../access/issues.ts';
import type { Act } from '../../../facts/act.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { type Placed, placesAfter } from '../issuables/index.ts';
import { issueBefore, issuesBehind, placeIssue, placeOf } from './positions.ts';

/** By the ids of issues: which one it shall be behind, or before. */
interface Neighbours {
  readonly move_before_id?: number | null | undefined;
  readonly move_after_id?: number | null | undefined;
}

/** How many of those that follow are asked to make room: at first few, where these have none, more. */
const LOOKED_AT = [1, 16, 256, 4_096];

/** Puts an issue behind the one that `move_before_id` names, else before that of `move_after_id` (contract/planning.md §2.1). */
export async function reorderIssue(
  act: Act<SignedIn>,
  { id }: Pick<Issue, 'id'>,
  { move_before_id: behind, move_after_id: ahead }: Neighbours,
): Promise<Issue | Refused<'noNeighbour' | 'gone'>> {
  const [issue] = await findIssues(act, act.by, [id]);
  if (issue === undefined) return refused('gone');
  const neighbour = await placeOf(act, issue.project_id, behind ?? ahead ?? 0);
  if (neighbour === null || neighbour.id === issue.id) return refused('noNeighbour');
  const before = behind != null ? neighbour : await issueBefore(act, issue, neighbour);
  for (const place of await places(act, issue, before)) await placeIssue(act, place);
  return stillThere((await findIssues(act, act.by, [id]))[0]);
}

async function places(act: Act, issue: Issue, before: Placed | null): Promise<readonly Placed[]> {
  for (const many of LOOKED_AT) {
    const after = await issuesBehind(act, issue, before, many);
    const found = placesAfter(issue.id, before, after, after.length < many);
    if (found !== null) return found;
  }
  return placesAfter(issue.id, before, await issuesBehind(act, issue, before, null), true) ?? [];
}
