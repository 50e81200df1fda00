import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
