import { close, fsync, open } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { definePerGit, type Git } from '../git.ts';
import { GitError, type GitFailure } from '../process/failures.ts';
import { createProcessPool, type PooledProcess } from '../process/process-pool.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists, syncDirectory } from '../storage/storage.ts';
import { isValidRefName, listRefDirectories, readLooseRef, resolveRef, ZERO_ID } from './refs.ts';
import { refLocks, removeStaleRefLocks } from './stale-locks.ts';

/** A change of one ref from `oldId` to `newId`. `ZERO_ID` as one of them means that the ref is created or deleted. */
export interface RefChange {
  /** `refs/...` */
  readonly ref: string;
  readonly oldId: string;
  readonly newId: string;
}

/**
 * Result of an update: all refs have moved and are durable, or none has.
 *
 * - `moved`: the ref is no longer at `oldId` (`actual` null: it does not exist).
 * - `conflict`: `existing` (null: unknown) and the new ref cannot both exist, as `a` and `a/b`.
 * - `locked`: another process has held the lock for more than five seconds. Retry later.
 * - `missing-object`: `newId` does not exist, or is not a commit and the ref is a branch.
 * - `invalid-name`: the ref name is invalid.
 */
type RefUpdate =
  | { readonly ok: true }
  | {
      readonly rejected: 'moved';
      readonly ref: string;
      readonly expected: string | null;
      readonly actual: string | null;
    }
  | { readonly rejected: 'conflict'; readonly ref: string; readonly existing: string | null }
  | { readonly rejected: 'locked'; readonly ref: string | null }
  | { readonly rejected: 'missing-object'; readonly ref: string | null; readonly oid: string | null }
  | { readonly rejected: 'invalid-name'; readonly ref: string | null };

/** The failed results of `RefUpdate`. */
export type RefFailure = Exclude<RefUpdate, { ok: true }>;

const updaterPool = definePerGit((git) =>
  createProcessPool(
    git,
    'update-ref',
    { flags: ['--no-deref', '--stdin'] },
    { maxProcesses: Math.max(2, git.limits.maxReaders >> 1), maxUseSeconds: 600 },
  ),
);

/** Starts an updater for an existing repository whose ref will be moved shortly. */
export function prestartUpdater(git: Git, repository: Repository): void {
  updaterPool(git).prestart(repository);
}

/**
 * Moves refs by compare-and-swap, all or none. All ref moves of Hearth itself use this function. Rules:
 *
 * 1. The objects are written and durable before the call.
 * 2. The caller stores its intent (ref, old and new id) before, and completes it afterwards. After a crash between the
 *   two, the intent says which refs to check.
 * 3. `oldId` is the id that the caller's decision was based on, not one read just before.
 * 4. Each ref occurs once. HEAD is not a ref here: see `setHead`.
 *
 * Throws `GitError` for a broken repository or machine: the refs may or may not have moved. Throws `QueueFull` if too
 * many updates wait: nothing has moved.
 */
export async function updateRefs(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<RefUpdate> {
  for (const change of changes) {
    if (!isValidRefName(change.ref)) return { rejected: 'invalid-name', ref: change.ref };
    if (!ID_PATTERN.test(change.oldId) || !ID_PATTERN.test(change.newId))
      throw new Error(`${change.ref}: not an object id`);
  }
  const effectiveChanges = changes.filter((change) => change.oldId !== change.newId);
  if (effectiveChanges.length === 0) return { ok: true };
  if (!(await repositoryExists(repository))) return missingRepository(effectiveChanges[0]!);
  return refLocks(git)(repository.directory, () => transact(git, repository, effectiveChanges));
}

const ID_PATTERN = /^[0-9a-f]{40}$/;

function missingRepository(change: RefChange): RefUpdate {
  if (change.newId !== ZERO_ID) return { rejected: 'missing-object', ref: change.ref, oid: change.newId };
  return { rejected: 'moved', ref: change.ref, expected: change.oldId, actual: null };
}

/** Attempts while another process holds a lock; git waits half a second in each. */
const MAX_ATTEMPTS = 10;

async function transact(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<RefUpdate> {
  for (let attempt = 1; ; attempt++) {
    const update = await transactOnce(git, repository, changes);
    if (!('rejected' in update) || update.rejected !== 'locked' || attempt === MAX_ATTEMPTS) return update;
    if (attempt > 1) continue;
    const refs = changes.map(({ ref }) => ref);
    await removeStaleRefLocks(git, repository, refs);
  }
}

async function transactOnce(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<RefUpdate> {
  try {
    await updaterPool(git).use(repository, (updater) => sendTransaction(updater, changes));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const failure = await toRefFailure(repository, changes, error.failure);
    if (failure === null) throw error;
    return failure;
  }
  // git has synced the files, but not their directories.
  const directories = new Set(
    changes.flatMap(({ ref, newId }) => listRefDirectories(repository, ref, newId === ZERO_ID)),
  );
  await Promise.all([...directories].map((directory) => syncDirectory(directory).catch(ignoreMissing)));
  return { ok: true };
}

/** Sends one transaction in one write. git answers with three lines, or exits with the reason. */
async function sendTransaction(updater: PooledProcess, changes: readonly RefChange[]): Promise<void> {
  const lines = changes.map((change) =>
    change.newId === ZERO_ID
      ? `delete ${change.ref} ${change.oldId}\n`
      : change.oldId === ZERO_ID
        ? `create ${change.ref} ${change.newId}\n`
        : `update ${change.ref} ${change.newId} ${change.oldId}\n`,
  );
  updater.send(`start\n${lines.join('')}prepare\ncommit\n`);
  for (const step of ['start', 'prepare', 'commit']) {
    const response = (await updater.readLine()).toString('latin1');
    if (response !== `${step}: ok`) throw new Error(`git update-ref responded ${JSON.stringify(response)} to ${step}`);
  }
}

async function toRefFailure(
  repository: Repository,
  changes: readonly RefChange[],
  failure: GitFailure,
): Promise<RefFailure | null> {
  switch (failure.kind) {
    case 'moved': {
      const expected = changes.find((change) => change.ref === failure.ref)?.oldId ?? ZERO_ID;
      const actual = failure.actual ?? (await resolveRef(repository, failure.ref));
      return { rejected: 'moved', ref: failure.ref, expected: expected === ZERO_ID ? null : expected, actual };
    }
    case 'conflict':
      return { rejected: 'conflict', ref: failure.ref, existing: failure.existing };
    case 'locked':
      return { rejected: 'locked', ref: failure.ref };
    case 'missing-object':
      return { rejected: 'missing-object', ref: failure.ref, oid: failure.oid };
    case 'invalid-name':
      return { rejected: 'invalid-name', ref: failure.ref };
    default:
      return null;
  }
}

/** Ignores a missing directory: git removes it with its last ref. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Files that are synced concurrently; the file system writes them together. */
const SYNCS_AT_ONCE = 4;

/** Makes refs durable that git moved without syncing their files. */
export async function syncRefs(repository: Repository, changes: readonly RefChange[]): Promise<void> {
  const writtenRefs = changes.filter(({ newId }) => newId !== ZERO_ID).map(({ ref }) => ref);
  const files = [...writtenRefs, 'packed-refs'].map((name) => join(repository.directory, name));
  await syncAll(files);
  const directories = changes.flatMap(({ ref, newId }) => listRefDirectories(repository, ref, newId === ZERO_ID));
  await syncAll([...new Set(directories)]);
}

async function syncAll(paths: readonly string[]): Promise<void> {
  const remaining = paths.values();
  const syncRemaining = async () => {
    for (const path of remaining) await syncFile(path).catch(ignoreMovedRef);
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, syncRemaining));
}

/** Syncs a file or directory. A push of hundreds of refs syncs as many files, and file handles cost twice as much as this. */
function syncFile(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (openError, file) => {
      if (openError) return reject(openError);
      fsync(file, (syncError) => {
        close(file, (closeError) => {
          const error = syncError ?? closeError;
          if (error) reject(error);
          else resolve();
        });
      });
    });
  });
}

/** Ignores a missing file: a ref may have moved on into packed-refs, whose writer has synced it. */
function ignoreMovedRef(error: NodeJS.ErrnoException): void {
  if (!['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) throw error;
}

/**
 * Restores the refs of a push that never ended and whose files have no content: the machine lost power before
 * `syncRefs`. Without this, git would neither read nor write these refs.
 */
export async function restoreLostRefs(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<void> {
  for (const { ref, oldId } of changes) {
    const path = join(repository.directory, ref);
    const status = await stat(path).catch(() => null);
    if (!status?.isFile() || (await readLooseRef(repository, ref)) !== null) continue;
    await rm(path);
    const currentId = (await resolveRef(repository, ref)) ?? ZERO_ID;
    if (currentId !== oldId) await updateRefs(git, repository, [{ ref, oldId: currentId, newId: oldId }]);
  }
}
