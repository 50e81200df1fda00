import type { Issue } from '../../../access/issues.ts';
import type { Act } from '../../../facts/act.ts';
import { forgetTargetActivity } from '../../../history/index.ts';
import { type Refused, refused } from '../../../refused.ts';

/**
 * Deletes the issue as it was read, with all that hangs on it; whoever comes second is told that it is gone. `unchanged`:
 * unless somebody has changed it since.
 */
export async function removeIssue(
  act: Act,
  { id, updated_at }: Issue,
  unchanged: boolean,
): Promise<undefined | Refused<'gone' | 'changed'>> {
  // While the comments are there that it tells of; whoever is refused has forgotten nothing.
  await forgetTargetActivity(act, 'Issue', [id]);
  // index: issues primary key
  let removal = act.deleteFrom('issues').where('id', '=', id);
  if (unchanged) removal = removal.where('updated_at', '=', updated_at);
  if ((await removal.returning('id').execute()).length > 0) return;
  const left = await act.selectFrom('issues').select('id').where('id', '=', id).executeTakeFirst();
  return refused(left === undefined ? 'gone' : 'changed');
}
