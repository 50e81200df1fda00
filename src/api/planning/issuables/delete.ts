import { deleteTargetActivity } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { IssuableTables } from './kind.ts';

const RESOURCE_TYPES = { issues: 'Issue', merge_requests: 'MergeRequest' } as const satisfies Record<
  IssuableTables['table'],
  string
>;

/**
 * Deletes an issuable with its dependent rows. Fails with `notFound` if the issuable no longer exists, and with `changed` if
 * `onlyIfUnchanged` is set and `updated_at` has changed.
 */
export async function deleteIssuable(
  uow: UnitOfWork,
  tables: IssuableTables,
  { id, updated_at }: { readonly id: number; readonly updated_at: string },
  onlyIfUnchanged: boolean,
): Promise<undefined | Failure<'notFound' | 'changed'>> {
  // Must run before the cascade deletes the notes. A failure rolls this deletion back.
  await deleteTargetActivity(uow, RESOURCE_TYPES[tables.table], [id]);
  // index: issues primary key, merge_requests primary key
  let deletion = uow.deleteFrom(tables.table).where('id', '=', id);
  if (onlyIfUnchanged) deletion = deletion.where('updated_at', '=', updated_at);
  if ((await deletion.returning('id').execute()).length > 0) return;
  const remainingRow = await uow.selectFrom(tables.table).select('id').where('id', '=', id).executeTakeFirst();
  return fail(remainingRow === undefined ? 'notFound' : 'changed');
}
