import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { reloadAccess, requireAbility } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { countLocks, deleteLock, findLock, findLockOfPath, insertLock, type LfsLock } from './store.ts';

/** Maximum number of locks of a project. */
const MAX_LOCKS = 10_000;

/** Locks a path for the caller. Fails with `locked` and the existing lock. */
export async function lockPath(
  tx: Transaction,
  caller: SignedInCaller,
  { id }: Project,
  path: string,
): Promise<LfsLock | Failure<'locked' | 'tooMany'>> {
  const access = await reloadAccess(tx, caller, id);
  requireAbility(access, 'push_code');
  if ((await countLocks(tx, id, MAX_LOCKS)) === MAX_LOCKS) return fail('tooMany', { limit: MAX_LOCKS });
  const inserted = await insertLock(tx, { project_id: id, user_id: access.caller.user.id, path });
  const lock = (await findLockOfPath(tx, id, path)) as LfsLock;
  return inserted ? lock : fail('locked', { lock });
}

/** Deletes a lock of the caller; with `force` Maintainers delete the locks of others. Returns the deleted lock. */
export async function unlock(
  tx: Transaction,
  caller: SignedInCaller,
  project: Project,
  { id, force }: { readonly id: number; readonly force: boolean },
): Promise<LfsLock | Failure<'notFound' | 'notOwner' | 'forceNotAllowed'>> {
  const access = await reloadAccess(tx, caller, project.id);
  requireAbility(access, 'push_code');
  const lock = await findLock(tx, project.id, id);
  if (lock === null) return fail('notFound');
  if (lock.user_id !== access.caller.user.id) {
    if (!force) return fail('notOwner', { path: lock.path, owner: lock.owner_name });
    if (!mayInProject(access.caller, 'force_unlock_lfs_file', access.project)) return fail('forceNotAllowed');
  }
  await deleteLock(tx, lock.id);
  return lock;
}
