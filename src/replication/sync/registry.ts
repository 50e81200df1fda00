import type { Selectable, Updateable } from 'kysely';
import { sql } from 'kysely';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { isRepository } from '../primary/schemas.ts';

// The registry: one row for each object of the primary that is or will be copied (contract/operations.md §3.5). Workers store their
// result only for the generation with which they started, so that later events are not lost.

export type RegistryRow = Selectable<Schema['geo_registry']>;

/**
 * Kind of the next step of a row; each kind has its own concurrency limit. The column `pool` has two more values: `verified`
 * for copies that wait for another verification, and null for copies in progress.
 */
export type Pool = 'repository' | 'blob' | 'verification';

/** Key of an object. */
export type ReplicableKey = Columns<'geo_registry', 'replicable_name' | 'replicable_id'>;

const MAX_RETRY_SECONDS = 3_600;

/** Returns the delay before the next attempt: 1, 2, 4 ... 3,600 seconds. */
export function getRetryDelaySeconds(retries: number): number {
  return Math.min(MAX_RETRY_SECONDS, 2 ** Math.min(retries, 30));
}

/** Returns the pool that copies objects of this kind. */
const getPool = (name: string): Pool => (isRepository(name) ? 'repository' : 'blob');

/** Schedules new or changed objects to be copied. `listing` is the number of the current listing. */
export async function scheduleCopies(
  tx: Transaction,
  objects: readonly ReplicableKey[],
  listing: number,
): Promise<void> {
  const initialColumns = { state: 'pending', verification: 'pending', error: null, listing } as const;
  for (const { replicable_name, replicable_id } of objects) {
    const pool = getPool(replicable_name);
    const timestamps = { due_at: tx.now, created_at: tx.now, updated_at: tx.now };
    // index: geo_registry_by_object
    await tx
      .insertInto('geo_registry')
      .values({ replicable_name, replicable_id, ...initialColumns, pool, generation: 1, retries: 0, ...timestamps })
      .onConflict((conflict) =>
        conflict.columns(['replicable_name', 'replicable_id']).doUpdateSet((eb) => ({
          // Keeps a failed verification: such a copy is created again instead of updated.
          state: 'pending',
          pool,
          listing,
          generation: sql<number>`${eb.ref('geo_registry.generation')} + 1`,
          retries: 0,
          due_at: tx.now,
          updated_at: tx.now,
        })),
      )
      .execute();
  }
}

/** Marks objects as part of this listing; schedules unknown ones and those scheduled for removal to be copied. */
export async function markListed(tx: Transaction, objects: readonly ReplicableKey[], listing: number): Promise<void> {
  const ids = objects.map(({ replicable_id }) => replicable_id);
  if (ids.length === 0) return;
  // All objects of a page have the same kind.
  const name = objects[0]!.replicable_name;
  // index: geo_registry_by_object
  const listedRows = await tx
    .updateTable('geo_registry')
    .set({ listing })
    .where('replicable_name', '=', name)
    .where('replicable_id', 'in', ids)
    .returning(['replicable_id', 'state'])
    .execute();
  const unchangedIds = new Set(
    listedRows.filter(({ state }) => state !== 'leaving').map(({ replicable_id }) => replicable_id),
  );
  await scheduleCopies(
    tx,
    objects.filter(({ replicable_id }) => !unchangedIds.has(replicable_id)),
    listing,
  );
}

/** Schedules the removal of an object that was deleted on the primary or is out of scope. */
export async function scheduleRemoval(
  tx: Transaction,
  { replicable_name, replicable_id }: ReplicableKey,
): Promise<void> {
  // index: geo_registry_by_object
  await tx
    .updateTable('geo_registry')
    .set((eb) => ({ ...buildRemovalColumns(tx), pool: getPool(replicable_name), generation: eb('generation', '+', 1) }))
    .where('replicable_name', '=', replicable_name)
    .where('replicable_id', '=', replicable_id)
    .execute();
}

/** Columns of a copy that is to be removed. */
const buildRemovalColumns = (tx: Transaction) => ({
  state: 'leaving' as const,
  retries: 0,
  due_at: tx.now,
  updated_at: tx.now,
});

/** Schedules the removal of up to `limit` objects that are not in the listing; returns whether there may be more. */
export async function scheduleRemovalOfUnlisted(tx: Transaction, listing: number, limit: number): Promise<boolean> {
  // index: geo_registry_by_listing
  const unlistedCopies = await tx
    .selectFrom('geo_registry')
    .select(['id', 'replicable_name', 'replicable_id', 'listing'])
    .where('listing', '<', listing)
    .orderBy('listing')
    .orderBy('id')
    .limit(limit)
    .execute();
  for (const { id, ...object } of unlistedCopies) {
    await scheduleRemoval(tx, object);
    await tx.updateTable('geo_registry').set({ listing }).where('id', '=', id).execute();
  }
  return unlistedCopies.length === limit;
}

/** Returns due rows of a pool, the longest due first. */
export function listDue(db: Reader, pool: Pool, now: string, limit: number): Promise<RegistryRow[]> {
  // index: geo_registry_by_work
  return db
    .selectFrom('geo_registry')
    .selectAll()
    .where('pool', '=', pool)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Schedules up to `limit` copies for verification that were last verified at or before this time, the oldest first. */
export async function scheduleReverification(tx: Transaction, verifiedUntil: string, limit: number): Promise<void> {
  // index: geo_registry_by_work
  const dueCopies = await tx
    .selectFrom('geo_registry')
    .select('id')
    .where('pool', '=', 'verified')
    .where('due_at', '<=', verifiedUntil)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  if (dueCopies.length === 0) return;
  await tx
    .updateTable('geo_registry')
    .set({ pool: 'verification', due_at: tx.now })
    .where(
      'id',
      'in',
      dueCopies.map(({ id }) => id),
    )
    .execute();
}

/** Marks a copy as being processed. */
export async function markStarted(tx: Transaction, { id, generation, state }: RegistryRow): Promise<void> {
  const startedState = state === 'pending' || state === 'failed' ? ({ state: 'started' } as const) : {};
  await updateUnlessChanged(tx, { id, generation }, { ...startedState, pool: null });
}

/** Updates a row unless its generation has changed; returns whether it was updated. */
export async function updateUnlessChanged(
  tx: Transaction,
  { id, generation }: Pick<RegistryRow, 'id' | 'generation'>,
  patch: Omit<Updateable<Schema['geo_registry']>, 'id' | 'generation'>,
): Promise<boolean> {
  const updatedRows = await tx
    .updateTable('geo_registry')
    .set({ ...patch, updated_at: tx.now })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .returning('id')
    .execute();
  return updatedRows.length > 0;
}

/** Stores the location of a copy even if its generation has changed: it must be found for removal. */
export async function updateCopyLocation(tx: Transaction, id: number, location: CopyLocation): Promise<void> {
  await tx.updateTable('geo_registry').set(location).where('id', '=', id).execute();
}

type CopyLocation = Pick<Updateable<Schema['geo_registry']>, 'storage' | 'checksum'>;

/** Columns of a completed copy, which is verified next. */
export const buildSyncedColumns = (tx: Transaction) => ({
  state: 'synced' as const,
  verification: 'pending' as const,
  pool: 'verification' as const,
  due_at: tx.now,
  synced_at: tx.now,
  error: null,
});

/** Columns of a failed copy, which is retried later. */
export const buildFailedColumns = (tx: Transaction, { retries, replicable_name }: RegistryRow, error: string) => ({
  state: 'failed' as const,
  pool: getPool(replicable_name),
  due_at: addMilliseconds(tx.now, getRetryDelaySeconds(retries) * 1000),
  retries: retries + 1,
  error,
});

/** Columns of a postponed step, which is retried unchanged. */
export const buildPostponedColumns = (tx: Transaction, { retries, pool }: RegistryRow, error: string) => ({
  pool,
  due_at: addMilliseconds(tx.now, getRetryDelaySeconds(retries) * 1000),
  retries: retries + 1,
  error,
});

/** Columns of a copy whose checksum equals that of the primary. */
export const buildVerifiedColumns = (tx: Transaction) => ({
  verification: 'verified' as const,
  pool: 'verified' as const,
  due_at: tx.now,
  verified_at: tx.now,
  retries: 0,
  error: null,
});

/** Columns of a copy that differs from the primary, which is created again later. */
export const buildMismatchedColumns = (tx: Transaction, copy: RegistryRow, error: string) => ({
  ...buildFailedColumns(tx, copy, error),
  state: 'pending' as const,
  verification: 'failed' as const,
});

/** Columns while the primary has no checksum yet. */
export const buildAwaitingChecksumColumns = (tx: Transaction, seconds: number) => ({
  pool: 'verification' as const,
  due_at: addMilliseconds(tx.now, seconds * 1000),
});

/** Deletes the row of a removed copy. */
export async function deleteRegistryRow(tx: Transaction, { id, generation }: RegistryRow): Promise<void> {
  await tx.deleteFrom('geo_registry').where('id', '=', id).where('generation', '=', generation).execute();
}

/** Schedules the copies again that the previous process was processing when it ended. Call it at start-up. */
export async function resumeInterrupted(tx: Transaction): Promise<void> {
  const interruptedCopies = await tx
    .selectFrom('geo_registry')
    .select(['id', 'replicable_name', 'state'])
    .where('pool', 'is', null)
    .execute();
  for (const { id, replicable_name, state } of interruptedCopies) {
    const pool = state === 'synced' ? 'verification' : getPool(replicable_name);
    const stateColumns = state === 'started' ? ({ state: 'pending' } as const) : {};
    await tx
      .updateTable('geo_registry')
      .set({ ...stateColumns, pool, due_at: tx.now })
      .where('id', '=', id)
      .execute();
  }
}

/** Returns whether another copy uses, or may use, the same file. */
export async function isFileShared(db: Reader, { id, checksum }: RegistryRow): Promise<boolean> {
  // index: geo_registry_by_checksum
  const otherCopy = await db
    .selectFrom('geo_registry')
    .select('id')
    .where('checksum', '=', checksum)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return otherCopy !== undefined;
}

/**
 * Returns the verified copy at this folded path. A project whose path ends in `.wiki` takes precedence, as on the
 * primary.
 */
export async function findServableCopy(db: Reader, pathKey: string): Promise<RegistryRow | undefined> {
  // index: geo_registry_by_path
  // Few rows share a path: a project, a wiki, and copies of former paths.
  const copies = await db.selectFrom('geo_registry').selectAll().where('path_key', '=', pathKey).limit(10).execute();
  const projects = copies.filter(({ replicable_name }) => replicable_name === 'project_repository');
  const candidates = projects.length > 0 ? projects : copies;
  return candidates.find(({ state, verification }) => state === 'synced' && verification === 'verified');
}

/** Returns the number of copies by kind and state. */
export function countCopies(db: Reader) {
  // index: geo_registry_by_state
  return db
    .selectFrom('geo_registry')
    .select(['replicable_name', 'state', 'verification', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy(['replicable_name', 'state', 'verification'])
    .execute();
}
