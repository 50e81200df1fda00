import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobStore, hasBlob, openBlob, storeBlob } from '#blobs/store.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Git, getRepositoryAt } from '#git/git.ts';
import { findHeadBranch, setHead } from '#git/refs/refs.ts';
import { removeStaleRepositoryLocks } from '#git/refs/stale-locks.ts';
import type { Repository } from '#git/repository.ts';
import { getMaintenanceNeeds, packRefs, repack } from '#git/storage/maintenance.ts';
import {
  deleteRepository,
  ensureRepository,
  repositoryExists,
  syncDirectory,
  toDiskPath,
} from '#git/storage/storage.ts';
import { fetchAllRefs, findRemoteHead, type GitRemote } from '#git/transport/fetch.ts';
import { isFailure } from '#runtime/failure.ts';
import { PrimaryFailure } from '../primary/client.ts';
import { type Primary, toRepositoryAddress } from '../primary/primary.ts';
import type { RemoteReplicable } from '../primary/schemas.ts';
import type { RegistryRow, ReplicableKey } from './registry.ts';

/** Directory for new copies until they are complete. */
const DRAFTS_DIRECTORY = '+sites';

/** Returns the copy of a repository on one of this site's storages. */
export function getCopy(git: Git, storage: string, { replicable_name, replicable_id }: ReplicableKey): Repository {
  return getRepositoryAt(git, storage, toDiskPath(`${replicable_name} ${replicable_id}`));
}

function getDraft(git: Git, storage: string, { replicable_name, replicable_id }: ReplicableKey): Repository {
  return getRepositoryAt(git, storage, join(DRAFTS_DIRECTORY, `${replicable_name}-${replicable_id}.git`));
}

/** Returns the primary's storage if this site has one with that name, else `default`. */
export function chooseStorage(git: Git, { storage }: Pick<RemoteReplicable, 'storage'>): string {
  return storage !== null && git.storages[storage] !== undefined ? storage : 'default';
}

/**
 * Brings the copy to the current state of the primary's repository: updates the existing copy or, if there is none or
 * it is damaged, creates a draft and moves it into place. Rejects with `PrimaryFailure` or `GitError`.
 */
export async function copyRepository(
  git: Git,
  primary: Primary,
  copy: RegistryRow,
  replicable: RemoteReplicable,
): Promise<void> {
  const storage = chooseStorage(git, replicable);
  const repository = getCopy(git, storage, copy);
  const createRemote = () => primary.buildRemote(replicable);
  const isReusable = copy.verification !== 'failed' && (await repositoryExists(repository));
  if (isReusable) {
    await removeStaleRepositoryLocks(git, repository);
    await fetchInto(git, repository, createRemote);
  } else {
    const draft = getDraft(git, storage, copy);
    await rm(draft.directory, { recursive: true, force: true });
    await fetchInto(git, draft, createRemote);
    await replaceCopy(git, draft, repository);
  }
  await maintain(git, repository);
}

/** Returns the columns of the copy's path, by which fetches find it. */
export function buildAddressColumns({ replicable_name, path }: RemoteReplicable) {
  const address = toRepositoryAddress(replicable_name, path ?? '');
  return { path: address, path_key: foldCase(address) };
}

/** Fetches all refs and HEAD. Each git command has its own token, because the primary accepts a token once. */
async function fetchInto(git: Git, repository: Repository, createRemote: () => GitRemote): Promise<void> {
  const head = await findRemoteHead(git, createRemote());
  await ensureRepository(repository, { defaultBranch: head ?? 'main' });
  await fetchAllRefs(git, repository, createRemote());
  if (head !== null && (await findHeadBranch(repository)) !== head) await setHead(git, repository, head);
}

/** Moves the draft into place; readers never see a half-removed repository. */
async function replaceCopy(git: Git, draft: Repository, repository: Repository): Promise<void> {
  await mkdir(dirname(repository.directory), { recursive: true });
  const replacedCopy = { directory: `${repository.directory}.${randomUUID()}.removed` };
  if (await repositoryExists(repository)) {
    for (const releaseHook of git.releaseHooks) releaseHook(repository);
    await rename(repository.directory, replacedCopy.directory);
  }
  await rename(draft.directory, repository.directory);
  await syncDirectory(dirname(repository.directory));
  await rm(replacedCopy.directory, { recursive: true, force: true });
}

/** Runs maintenance: each fetch adds a pack or loose objects. */
async function maintain(git: Git, repository: Repository): Promise<void> {
  const needs = await getMaintenanceNeeds(repository);
  if (needs.packRefs) await packRefs(git, repository);
  if (needs.repack !== null) await repack(git, repository, needs.repack);
}

/** Deletes the copy on this storage, complete or not. */
export async function removeCopy(git: Git, storage: string, object: ReplicableKey): Promise<void> {
  await rm(getDraft(git, storage, object).directory, { recursive: true, force: true });
  await deleteRepository(git, getCopy(git, storage, object));
}

/** Maximum size of a file of unknown size, in bytes. */
const MAX_BLOB_BYTES = 5 * 1024 ** 3;

/** Bytes that a copy leaves free in the file system. */
const RESERVED_BYTES = 256 * 1024 ** 2;

/**
 * Copies a file and stores it only if it matches the primary's checksum; `forceDownload`: even if it exists. Returns false if it
 * is gone. Rejects with `PrimaryFailure`.
 */
export async function copyBlob(
  blobs: BlobStore,
  primary: Primary,
  { replicable_name, replicable_id, size }: RemoteReplicable,
  { sha256, forceDownload }: { readonly sha256: string; readonly forceDownload: boolean },
): Promise<boolean> {
  if (!forceDownload && (await hasBlob(blobs, sha256))) return true;
  const maxBytes = Math.min(size ?? MAX_BLOB_BYTES, await getFreeBytes(blobs));
  if (size !== null && size > maxBytes) {
    throw new PrimaryFailure('denied', `A file of ${size} bytes does not fit: ${maxBytes} bytes are free`);
  }
  const content = await primary.openBlob(replicable_name, replicable_id, maxBytes);
  if (content === null) return false;
  try {
    const sizeLimits = size === null ? { maxBytes } : { expectedSize: size };
    const storedBlob = await storeBlob(blobs, content, { ...sizeLimits, expectedSha256: sha256 });
    if (isFailure(storedBlob))
      throw new PrimaryFailure('invalid-response', 'The file does not match size or checksum of the primary');
    return true;
  } finally {
    content.destroy();
  }
}

async function getFreeBytes({ directory }: BlobStore): Promise<number> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(directory);
  return Math.max(0, bavail * bsize - RESERVED_BYTES);
}

/** Returns the SHA-256 of the stored file; null if it does not exist. */
export async function computeBlobChecksum(blobs: BlobStore, sha256: string): Promise<string | null> {
  const blob = await openBlob(blobs, sha256);
  if (blob === null) return null;
  const hash = createHash('sha256');
  for await (const chunk of blob.stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
