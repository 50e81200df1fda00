import type { Selectable } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';

/** A lock with the name of its owner. */
export type LfsLock = Selectable<Schema['lfs_locks']> & { readonly owner_name: string };

/** Selects the locks of a project with the names of their owners. index: users primary key */
function selectLocks(db: Reader, projectId: number) {
  return db
    .selectFrom('lfs_locks')
    .innerJoin('users', 'users.id', 'lfs_locks.user_id')
    .selectAll('lfs_locks')
    .select('users.name as owner_name')
    .where('lfs_locks.project_id', '=', projectId);
}

/** Restricts a list to the lock of a path or with an id. */
export interface LockFilter {
  readonly path?: string | undefined;
  readonly id?: number | undefined;
}

/** Returns up to `limit` locks from the id `cursor` on, the oldest first. index: lfs_locks_by_project, lfs_locks_by_path */
export function listLocks(
  db: Reader,
  projectId: number,
  { path, id }: LockFilter,
  { cursor, limit }: { readonly cursor: number; readonly limit: number },
): Promise<LfsLock[]> {
  let query = selectLocks(db, projectId).where('lfs_locks.id', '>=', cursor);
  if (path !== undefined) query = query.where('lfs_locks.path', '=', path);
  if (id !== undefined) query = query.where('lfs_locks.id', '=', id);
  return query.orderBy('lfs_locks.id').limit(limit).execute();
}

/** Returns a lock of the project by its id, or null. index: lfs_locks primary key */
export async function findLock(db: Reader, projectId: number, id: number): Promise<LfsLock | null> {
  return (await selectLocks(db, projectId).where('lfs_locks.id', '=', id).executeTakeFirst()) ?? null;
}

/** Returns the lock of a path, or null. index: lfs_locks_by_path */
export async function findLockOfPath(db: Reader, projectId: number, path: string): Promise<LfsLock | null> {
  return (await selectLocks(db, projectId).where('lfs_locks.path', '=', path).executeTakeFirst()) ?? null;
}

/** Counts the locks of a project, up to `limit`. index: lfs_locks_by_project */
export async function countLocks(db: Reader, projectId: number, limit: number): Promise<number> {
  const locks = db.selectFrom('lfs_locks').select('id').where('project_id', '=', projectId).limit(limit).as('locks');
  const { count } = await db
    .selectFrom(locks)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Inserts a lock. Returns false if the path is locked already. */
export async function insertLock(
  tx: Transaction,
  row: { readonly project_id: number; readonly user_id: number; readonly path: string },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('lfs_locks')
    .values({ ...row, created_at: tx.now })
    .onConflict((conflict) => conflict.columns(['project_id', 'path']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Deletes a lock. index: lfs_locks primary key */
export async function deleteLock(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('lfs_locks').where('id', '=', id).execute();
}
