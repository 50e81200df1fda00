import type { Selectable, Updateable } from 'kysely';
import { sql } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { momentAfter } from '#runtime/clock.ts';
import { isRepository } from '../primary/schemas.ts';

/*
 * A row for each object of the primary that is, or is to be, copied (contract/operations.md §3.5). Whoever works on one
 * says in the end what has become of the generation that he began with: what the primary has told meanwhile stays to be
 * done.
 */

export type Copy = Selectable<Schema['geo_registry']>;

/** What has to be done next, and how many at once, is another's for each. */
export type Pool = 'repository' | 'blob' | 'verification';

/** What an object is known by. */
export interface ObjectName {
  readonly replicable_name: string;
  readonly replicable_id: number;
}

const LONGEST_RETRY = 3_600;

/** 1, 2, 4 ... 3,600 seconds after so many failures. */
export function retryAfter(retries: number): number {
  return Math.min(LONGEST_RETRY, 2 ** Math.min(retries, 30));
}

const poolOf = (name: string): Pool => (isRepository(name) ? 'repository' : 'blob');

/** They are, or have changed: to be copied now. `listing`: the listing that would have them. */
export async function wantCopies(tx: Transaction, objects: readonly ObjectName[], listing: number): Promise<void> {
  const known = { state: 'pending', verification: 'pending', error: null, listing } as const;
  for (const { replicable_name, replicable_id } of objects) {
    const pool = poolOf(replicable_name);
    const times = { due_at: tx.now, created_at: tx.now, updated_at: tx.now };
    // index: geo_registry_by_object
    await tx
      .insertInto('geo_registry')
      .values({ replicable_name, replicable_id, ...known, pool, generation: 1, retries: 0, ...times })
      .onConflict((conflict) =>
        conflict.columns(['replicable_name', 'replicable_id']).doUpdateSet((eb) => ({
          // Whether the copy was found wrong stays known: such a one is made anew, and not brought forward.
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

/** They are in this listing; those that were not known are to be copied, those that were leaving stay. */
export async function listCopies(tx: Transaction, objects: readonly ObjectName[], listing: number): Promise<void> {
  const names = objects.map(({ replicable_id }) => replicable_id);
  if (names.length === 0) return;
  const name = objects[0]!.replicable_name;
  // index: geo_registry_by_object
  const seen = await tx
    .updateTable('geo_registry')
    .set({ listing })
    .where('replicable_name', '=', name)
    .where('replicable_id', 'in', names)
    .returning(['replicable_id', 'state'])
    .execute();
  const staying = new Set(seen.filter(({ state }) => state !== 'leaving').map(({ replicable_id }) => replicable_id));
  await wantCopies(
    tx,
    objects.filter(({ replicable_id }) => !staying.has(replicable_id)),
    listing,
  );
}

/** They are gone, or out of scope. */
export async function leave(tx: Transaction, { replicable_name, replicable_id }: ObjectName): Promise<void> {
  // index: geo_registry_by_object
  await tx
    .updateTable('geo_registry')
    .set((eb) => ({ ...leaving(tx), pool: poolOf(replicable_name), generation: eb('generation', '+', 1) }))
    .where('replicable_name', '=', replicable_name)
    .where('replicable_id', '=', replicable_id)
    .execute();
}

const leaving = (tx: Transaction) => ({
  state: 'leaving' as const,
  retries: 0,
  due_at: tx.now,
  updated_at: tx.now,
});

/** Those that the listing does not have are out of scope: some of them, whether there may be more. */
export async function leaveUnlisted(tx: Transaction, listing: number, most: number): Promise<boolean> {
  // index: geo_registry_by_listing
  const unlisted = await tx
    .selectFrom('geo_registry')
    .select(['id', 'replicable_name', 'replicable_id', 'listing'])
    .where('listing', '<', listing)
    .orderBy('listing')
    .orderBy('id')
    .limit(most)
    .execute();
  for (const { id, ...object } of unlisted) {
    await leave(tx, object);
    await tx.updateTable('geo_registry').set({ listing }).where('id', '=', id).execute();
  }
  return unlisted.length === most;
}

/** What is due in a pool, the longest due first; nobody else works on these. */
export function dueIn(db: Reader, pool: Pool, now: string, most: number): Promise<Copy[]> {
  // index: geo_registry_by_work
  return db
    .selectFrom('geo_registry')
    .selectAll()
    .where('pool', '=', pool)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(most)
    .execute();
}

/** What was verified at this moment or before is to be verified again: so many, the longest ago first. */
export async function verifyAgain(tx: Transaction, verifiedUntil: string, most: number): Promise<void> {
  // index: geo_registry_by_work
  const old = await tx
    .selectFrom('geo_registry')
    .select('id')
    .where('pool', '=', 'verified')
    .where('due_at', '<=', verifiedUntil)
    .orderBy('due_at')
    .orderBy('id')
    .limit(most)
    .execute();
  if (old.length === 0) return;
  await tx
    .updateTable('geo_registry')
    .set({ pool: 'verification', due_at: tx.now })
    .where(
      'id',
      'in',
      old.map(({ id }) => id),
    )
    .execute();
}

/** Somebody works on the copy. */
export async function begin(tx: Transaction, { id, generation, state }: Copy): Promise<void> {
  const started = state === 'pending' || state === 'failed' ? ({ state: 'started' } as const) : {};
  await settle(tx, { id, generation }, { ...started, pool: null });
}

/** What is written of a copy unless the primary has told more of it since; says whether it was. */
export async function settle(
  tx: Transaction,
  { id, generation }: Pick<Copy, 'id' | 'generation'>,
  changes: Omit<Updateable<Schema['geo_registry']>, 'id' | 'generation'>,
): Promise<boolean> {
  const changed = await tx
    .updateTable('geo_registry')
    .set({ ...changes, updated_at: tx.now })
    .where('id', '=', id)
    .where('generation', '=', generation)
    .returning('id')
    .execute();
  return changed.length > 0;
}

/** Where the copy lies, whatever the primary tells: it must be found to be removed. */
export async function placeCopy(tx: Transaction, id: number, place: PlaceOfCopy): Promise<void> {
  await tx.updateTable('geo_registry').set(place).where('id', '=', id).execute();
}

type PlaceOfCopy = Pick<Updateable<Schema['geo_registry']>, 'storage' | 'checksum'>;

/** The copy is here; now somebody looks whether it is right. */
export const copied = (tx: Transaction) => ({
  state: 'synced' as const,
  verification: 'pending' as const,
  pool: 'verification' as const,
  due_at: tx.now,
  synced_at: tx.now,
  error: null,
});

/** It could not be made: again later. */
export const failed = (tx: Transaction, { retries, replicable_name }: Copy, error: string) => ({
  state: 'failed' as const,
  pool: poolOf(replicable_name),
  due_at: momentAfter(tx.now, retryAfter(retries) * 1000),
  retries: retries + 1,
  error,
});

/** What cannot be done at present is done later, as it was. */
export const later = (tx: Transaction, { retries, pool }: Copy, error: string) => ({
  pool,
  due_at: momentAfter(tx.now, retryAfter(retries) * 1000),
  retries: retries + 1,
  error,
});

export const verified = (tx: Transaction) => ({
  verification: 'verified' as const,
  pool: 'verified' as const,
  due_at: tx.now,
  verified_at: tx.now,
  retries: 0,
  error: null,
});

/** It is not what the primary has: made anew, sooner or later. */
export const wrong = (tx: Transaction, copy: Copy, error: string) => ({
  ...failed(tx, copy, error),
  state: 'pending' as const,
  verification: 'failed' as const,
});

/** The primary has not counted yet what it has. */
export const waiting = (tx: Transaction, seconds: number) => ({
  pool: 'verification' as const,
  due_at: momentAfter(tx.now, seconds * 1000),
});

/** The copy is gone, and what was known of it. */
export async function forget(tx: Transaction, { id, generation }: Copy): Promise<void> {
  await tx.deleteFrom('geo_registry').where('id', '=', id).where('generation', '=', generation).execute();
}

/** At the start: what was worked on when the process ended is to be done. */
export async function resume(tx: Transaction): Promise<void> {
  const left = await tx
    .selectFrom('geo_registry')
    .select(['id', 'replicable_name', 'state'])
    .where('pool', 'is', null)
    .execute();
  for (const { id, replicable_name, state } of left) {
    const pool = state === 'synced' ? 'verification' : poolOf(replicable_name);
    const begun = state === 'started' ? ({ state: 'pending' } as const) : {};
    await tx
      .updateTable('geo_registry')
      .set({ ...begun, pool, due_at: tx.now })
      .where('id', '=', id)
      .execute();
  }
}

/** Whether another copy is, or may come to be, in the same file. */
export async function isShared(db: Reader, { id, checksum }: Copy): Promise<boolean> {
  // index: geo_registry_by_checksum
  const other = await db
    .selectFrom('geo_registry')
    .select('id')
    .where('checksum', '=', checksum)
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/**
 * The repository that is served at this address, folded, if its copy is whole and right. A project that is called as a wiki is
 * meant itself, as at the primary.
 */
export async function servedAt(db: Reader, pathKey: string): Promise<Copy | undefined> {
  // index: geo_registry_by_path
  const there = await db.selectFrom('geo_registry').selectAll().where('path_key', '=', pathKey).limit(10).execute();
  const projects = there.filter(({ replicable_name }) => replicable_name === 'project_repository');
  const meant = projects.length > 0 ? projects : there;
  return meant.find(({ state, verification }) => state === 'synced' && verification === 'verified');
}

/** How many there are of each kind, in each state. */
export function countCopies(db: Reader) {
  // index: geo_registry_by_state
  return db
    .selectFrom('geo_registry')
    .select(['replicable_name', 'state', 'verification', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy(['replicable_name', 'state', 'verification'])
    .execute();
}
