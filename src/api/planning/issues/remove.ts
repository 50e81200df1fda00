import { sql } from 'kysely';
import { isAmong } from '../../../database/dialect.ts';
import type { Act } from '../../../facts/act.ts';
import { forgetTargetActivity } from '../../../history/index.ts';

/** Deletes these issues with all that hangs on them, and what the feeds say of it. Their numbers are never given again. */
export async function removeIssues(act: Act, ids: readonly number[]): Promise<void> {
  await forgetTargetActivity(act, 'Issue', ids);
  // index: issues primary key
  await act
    .deleteFrom('issues')
    .where(isAmong(act, sql<number>`issues.id`, ids))
    .execute();
}
