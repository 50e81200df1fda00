import { forgetTargetActivity } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { Kind } from './kind.ts';

const TYPES = { issues: 'Issue', merge_requests: 'MergeRequest' } as const satisfies Record<Kind['things'], string>;

/**
 * Deletes the thing as it was read, with all that hangs on it; whoever comes second is told that it is gone. `unchanged`:
 * unless somebody has changed it since.
 */
export async function removeThing(
  uow: UnitOfWork,
  kind: Kind,
  { id, updated_at }: { readonly id: number; readonly updated_at: string },
  unchanged: boolean,
): Promise<undefined | Failure<'gone' | 'changed'>> {
  // While the comments are there that it tells of; whoever is refused has forgotten nothing.
  await forgetTargetActivity(uow, TYPES[kind.things], [id]);
  // index: issues primary key, merge_requests primary key
  let removal = uow.deleteFrom(kind.things).where('id', '=', id);
  if (unchanged) removal = removal.where('updated_at', '=', updated_at);
  if ((await removal.returning('id').execute()).length > 0) return;
  const left = await uow.selectFrom(kind.things).select('id').where('id', '=', id).executeTakeFirst();
  return fail(left === undefined ? 'gone' : 'changed');
}
