import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { prepareForRows, type RowParameters } from '#database/prepare.ts';
import type { IidKind } from '#database/schema.ts';
import { invalid } from '#runtime/failure.ts';

/** The project or group whose resources are numbered. */
type IidOwner = { readonly projectId: number } | { readonly groupId: number };

/**
 * Returns the next iid of this kind in the project or group: without gaps, and never reused after a deletion
 * (contract/planning.md §0 "iid"). The counter row stays locked until the transaction ends, so concurrent callers take
 * an advisory lock.
 */
export function allocateIid(tx: Transaction, owner: IidOwner, kind: IidKind): Promise<number> {
  return incrementCounter(tx, owner, kind, 1);
}

/**
 * Reserves consecutive iids in several projects; `counts` is their number by project id. Returns the last reserved iid by project
 * id. Callers take the advisory locks of all projects.
 */
export async function allocateIids(
  tx: Transaction,
  kind: IidKind,
  counts: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const rows = [...counts].map(([project_id, last]) => ({ project_id, kind, last }));
  return new Map((await incrementCounters(tx, rows)).map(({ project_id, last }) => [project_id, last]));
}

interface CounterIncrement {
  readonly project_id: number;
  readonly kind: IidKind;
  /** Number of iids to reserve; in a new row also the last iid. */
  readonly last: number;
}

// index: iid_counters_by_project
const incrementCounters = prepareForRows<CounterIncrement, { project_id: number; last: number }>(
  ['project_id', 'kind', 'last'],
  (tx, rows: RowParameters<CounterIncrement>) =>
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

/** Largest iid that a caller may choose; larger numbers stay available for generated iids. */
export const MAX_IID = 2 ** 31 - 1;

/** Failure: the iid that a caller chose, or that an imported resource has, is in use. */
export const IID_TAKEN = invalid({ iid: ['has already been taken'] });

/** Makes generated iids continue after `iid`, which a caller has chosen. */
export async function reserveIid(tx: Transaction, owner: IidOwner, kind: IidKind, iid: number): Promise<void> {
  await incrementCounter(tx, owner, kind, iid, iid);
}

/**
 * Sets the counter to `initialLast` if it has no row. Otherwise increments it or, with `minLast`, raises it to at least `minLast`.
 * Returns the new value.
 * index: iid_counters_by_project, iid_counters_by_group
 */
async function incrementCounter(
  tx: Transaction,
  owner: IidOwner,
  kind: IidKind,
  initialLast: number,
  minLast?: number,
): Promise<number> {
  const [ownerColumn, ownerValues] =
    'projectId' in owner
      ? (['project_id', { project_id: owner.projectId }] as const)
      : (['group_id', { group_id: owner.groupId }] as const);
  const last = sql.ref<number>('iid_counters.last');
  const newLast =
    minLast === undefined
      ? sql<number>`${last} + 1`
      : sql<number>`case when ${last} < ${minLast} then ${minLast} else ${last} end`;
  const row = await tx
    .insertInto('iid_counters')
    .values({ ...ownerValues, kind, last: initialLast })
    .onConflict((conflict) => conflict.columns([ownerColumn, 'kind']).doUpdateSet({ last: newLast }))
    .returning('last')
    .executeTakeFirstOrThrow();
  return row.last;
}
