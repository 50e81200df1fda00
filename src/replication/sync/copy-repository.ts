import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { foldCase } from '#database/name-keys.ts';
import { type Git, repositoryAt } from '#git/git.ts';
import { headTarget, setHead } from '#git/refs/refs.ts';
import { removeStaleLocksOf } from '#git/refs/stale-locks.ts';
import type { Repository } from '#git/repository.ts';
import { needsUpkeep, packRefs, repack } from '#git/storage/maintenance.ts';
import {
  diskPathFor,
  ensureRepository,
  removeRepository,
  repositoryExists,
  syncDirectory,
} from '#git/storage/storage.ts';
import { fetchAll, type Remote, remoteHead } from '#git/transport/fetch.ts';
import { addressOf, type Primary } from '../primary/primary.ts';
import type { Replicable } from '../primary/schemas.ts';
import type { Copy, ObjectName } from './registry.ts';

/** Where copies of repositories that were not there before are made. */
const DRAFTS = '+sites';

/** The copy of a repository on one of this site's storages. */
export function copyOf(git: Git, storage: string, { replicable_name, replicable_id }: ObjectName): Repository {
  return repositoryAt(git, storage, diskPathFor(`${replicable_name} ${replicable_id}`));
}

function draftOf(git: Git, storage: string, { replicable_name, replicable_id }: ObjectName): Repository {
  return repositoryAt(git, storage, join(DRAFTS, `${replicable_name}-${replicable_id}.git`));
}

/** The primary's storage, if this site has one of that name. */
export function storageFor(git: Git, { storage }: Pick<Replicable, 'storage'>): string {
  return storage !== null && git.storages[storage] !== undefined ? storage : 'default';
}

/**
 * Has the copy hold what the primary's repository holds at this moment: brings the one that is there forward, or, where there
 * is none, or none that is right, makes one beside its place and puts it there. Fails with a `PrimaryFailure`, or `GitFailed`.
 */
export async function copyRepository(git: Git, primary: Primary, copy: Copy, replicable: Replicable): Promise<void> {
  const storage = storageFor(git, replicable);
  const place = copyOf(git, storage, copy);
  const remote = primary.remote(replicable);
  const isRight = copy.verification !== 'failed' && (await repositoryExists(place));
  if (isRight) {
    await removeStaleLocksOf(git, place);
    await bring(git, place, remote);
  } else {
    const draft = draftOf(git, storage, copy);
    await rm(draft.directory, { recursive: true, force: true });
    await bring(git, draft, remote);
    await put(git, draft, place);
  }
  await keepInOrder(git, place);
}

/** The copy's address, as it is looked for by those who fetch. */
export function addressesOf({ replicable_name, path }: Replicable) {
  const address = addressOf(replicable_name, path ?? '');
  return { path: address, path_key: foldCase(address) };
}

async function bring(git: Git, place: Repository, remote: Remote): Promise<void> {
  const head = await remoteHead(git, remote);
  await ensureRepository(place, { defaultBranch: head ?? 'main' });
  await fetchAll(git, place, remote);
  if (head !== null && (await headTarget(place)) !== head) await setHead(git, place, head);
}

/** In place of what was there, which nobody finds half removed. */
async function put(git: Git, draft: Repository, place: Repository): Promise<void> {
  await mkdir(dirname(place.directory), { recursive: true });
  const old = { directory: `${place.directory}.${randomUUID()}.removed` };
  if (await repositoryExists(place)) {
    for (const leave of git.leaving) leave(place);
    await rename(place.directory, old.directory);
  }
  await rename(draft.directory, place.directory);
  await syncDirectory(dirname(place.directory));
  await rm(old.directory, { recursive: true, force: true });
}

/** Each fetch leaves a pack, or loose objects. */
async function keepInOrder(git: Git, place: Repository): Promise<void> {
  const needs = await needsUpkeep(place);
  if (needs.packRefs) await packRefs(git, place);
  if (needs.repack !== null) await repack(git, place, needs.repack);
}

/** Removes what there is of the copy on this storage, made or half made. */
export async function removeCopy(git: Git, storage: string, object: ObjectName): Promise<void> {
  await rm(draftOf(git, storage, object).directory, { recursive: true, force: true });
  await removeRepository(git, copyOf(git, storage, object));
}
