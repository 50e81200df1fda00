import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { prepareForRows, type RowsOf } from '#database/prepare.ts';
import type { IidKind } from '#database/tables/iids.ts';
import { invalid } from '#runtime/failure.ts';

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

/**
 * The same for many at once: of each of these projects so many numbers, of which the last one is told. The turn is that of
 * all of them.
 */
export async function nextIids(
  tx: Transaction,
  kind: IidKind,
  wanted: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const rows = [...wanted].map(([project_id, last]) => ({ project_id, kind, last }));
  return new Map((await raiseCounters(tx, rows)).map(({ project_id, last }) => [project_id, last]));
}

interface Raise {
  readonly project_id: number;
  readonly kind: IidKind;
  /** How many. */
  readonly last: number;
}

// index: iid_counters_by_project
const raiseCounters = prepareForRows<Raise, { project_id: number; last: number }>(
  ['project_id', 'kind', 'last'],
  (tx, rows: RowsOf<Raise>) =>
    tx
      .insertInto('iid_counters')
      .values(rows.map(({ project_id, kind, last }) => ({ project_id, kind, last })))
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'kind'])
          .doUpdateSet((eb) => ({ last: eb('iid_counters.last', '+', eb.ref('excluded.last')) })),
      )
      .returning((eb) => [eb.ref('project_id').$notNull().as('project_id'), 'last']),
);

/** What an owner may choose at most: numbers behind it must be left. */
export const LARGEST_IID = 2 ** 31 - 1;

/** Something else has the number that an owner has chosen, or that a thing brings along. */
export const IID_TAKEN = invalid({ iid: ['has already been taken'] });

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
