import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import type { IidKind } from '../database/tables/iids.ts';

/** Whose numbers these are. */
export type IidsOf = { readonly projectId: number } | { readonly groupId: number };

/**
 * The next number of this kind in the project or group: without gaps, and never one that something deleted has had
 * (contract/planning.md §0 "iid"). The counter stays locked until the transaction ends: many that come together belong
 * into one turn.
 */
export function nextIid(tx: Transaction, of: IidsOf, kind: IidKind): Promise<number> {
  return raiseCounter(tx, of, kind, 1);
}

/** What an owner may choose at most: numbers behind it must be left. */
export const LARGEST_IID = 2 ** 31 - 1;

/** Numbers behind `iid`, which its owner has chosen, begin after it. */
export async function reserveIid(tx: Transaction, of: IidsOf, kind: IidKind, iid: number): Promise<void> {
  await raiseCounter(tx, of, kind, iid, iid);
}

// index: iid_counters_by_project, iid_counters_by_group
async function raiseCounter(
  tx: Transaction,
  of: IidsOf,
  kind: IidKind,
  first: number,
  atLeast?: number,
): Promise<number> {
  const [column, owner] =
    'projectId' in of
      ? (['project_id', { project_id: of.projectId }] as const)
      : (['group_id', { group_id: of.groupId }] as const);
  const last = sql.ref<number>('iid_counters.last');
  const raised =
    atLeast === undefined
      ? sql<number>`${last} + 1`
      : sql<number>`case when ${last} < ${atLeast} then ${atLeast} else ${last} end`;
  const row = await tx
    .insertInto('iid_counters')
    .values({ ...owner, kind, last: first })
    .onConflict((conflict) => conflict.columns([column, 'kind']).doUpdateSet({ last: raised }))
    .returning('last')
    .executeTakeFirstOrThrow();
  return row.last;
}
