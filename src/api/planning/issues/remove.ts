import { sql } from 'kysely';
import type { Issue } from '../../../access/issues.ts';
import { isAmong } from '../../../database/dialect.ts';
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
  // index: issues primary key
  let removal = act.deleteFrom('issues').where('id', '=', id);
  if (unchanged) removal = removal.where('updated_at', '=', updated_at);
  if ((await removal.returning('id').execute()).length > 0) {
    await forgetTargetActivity(act, 'Issue', [id]);
    return;
  }
  const left = await act.selectFrom('issues').select('id').where('id', '=', id).executeTakeFirst();
  return refused(left === undefined ? 'gone' : 'changed');
}

/** Deletes these issues with all that hangs on them, and what the feeds say of it. Their numbers are never given again. */
export async function removeIssues(act: Act, ids: readonly number[]): Promise<void> {
  await forgetTargetActivity(act, 'Issue', ids);
  // index: issues primary key
  await act
    .deleteFrom('issues')
    .where(isAmong(act, sql<number>`issues.id`, ids))
    .execute();
}
