import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import { syncDirectory } from '../storage/storage.ts';
import { readLooseRef } from './ref-files.ts';
import { listRefDirectories, resolveRef, ZERO_ID } from './refs.ts';
import { type RefChange, updateRefs } from './update-refs.ts';

/** Files that are synced at once; the file system writes them together. */
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
    for (const path of remaining) await syncDirectory(path).catch(ignoreMissing);
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, syncRemaining));
}

/** Ignores a missing file: a ref may have moved on into packed-refs, whose writer has synced it. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
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
