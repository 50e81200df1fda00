import type { BlobStore } from '#blobs/store.ts';
import { deleteBlob } from '#blobs/store.ts';
import type { Database, Transaction } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { GitError } from '#git/process/failures.ts';
import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import type { Primary } from '../primary/primary.ts';
import { isRepository, type RemoteReplicable } from '../primary/schemas.ts';
import { buildAddressColumns, chooseStorage, copyBlob, copyRepository, removeCopy } from './copies.ts';
import {
  buildFailedColumns,
  buildPostponedColumns,
  buildSyncedColumns,
  deleteRegistryRow,
  isFileShared,
  type RegistryRow,
  scheduleRemoval,
  updateCopyLocation,
  updateUnlessChanged,
} from './registry.ts';

export interface SyncServices {
  readonly database: Database;
  readonly git: Git;
  readonly blobs: BlobStore;
  readonly primary: Primary;
}

/** After this many consecutive failures a repository is created again: the existing copy may be the cause. */
const MAX_REPOSITORY_RETRIES = 5;

/** Locks by digest: copies that share a file are not created and removed concurrently. */
const lockPerBlob = createKeyedLock({ maxWaiting: 10_000, retryAfterSeconds: 1 });

/**
 * Creates, updates or removes the copy according to the primary's current state, and stores the result. Throws if it
 * must be retried; only the location of the copy may be stored then (see `recordFailure`).
 */
export async function syncCopy(services: SyncServices, copy: RegistryRow): Promise<void> {
  if (copy.state === 'leaving') return removeObject(services, copy);
  const { primary, database } = services;
  const replicable = await primary.findReplicable(copy.replicable_name, copy.replicable_id);
  if (replicable === null) return database.transaction((tx) => scheduleRemoval(tx, copy));
  if (isRepository(copy.replicable_name)) await syncRepository(services, copy, replicable);
  else await syncBlob(services, copy, replicable);
}

/** Stores a failed attempt. */
export async function recordFailure(tx: Transaction, copy: RegistryRow, error: unknown, text: string): Promise<void> {
  if (copy.state === 'leaving')
    return void (await updateUnlessChanged(tx, copy, buildPostponedColumns(tx, copy, text)));
  // After a failed verification, the next attempt creates the copy again.
  const retryState =
    error instanceof GitError && copy.retries >= MAX_REPOSITORY_RETRIES ? ({ verification: 'failed' } as const) : {};
  await updateUnlessChanged(tx, copy, { ...buildFailedColumns(tx, copy, text), ...retryState });
}

/** Updates or creates the copy of a repository. A copy in another storage is deleted first. */
async function syncRepository(services: SyncServices, copy: RegistryRow, replicable: RemoteReplicable): Promise<void> {
  const { database, git, primary } = services;
  const storage = chooseStorage(git, replicable);
  const addresses = buildAddressColumns(replicable);
  if (copy.storage !== null && copy.storage !== storage) await removeCopy(git, copy.storage, copy);
  await database.transaction((tx) => updateCopyLocation(tx, copy.id, { storage }));
  await copyRepository(git, primary, copy, replicable);
  await database.transaction((tx) => updateUnlessChanged(tx, copy, { ...buildSyncedColumns(tx), ...addresses }));
}

/** Copies a file. A file with a former checksum is deleted first, unless another copy uses it. */
async function syncBlob(services: SyncServices, copy: RegistryRow, replicable: RemoteReplicable): Promise<void> {
  const { database, blobs, primary } = services;
  const sha256 = replicable.checksum;
  // 64 digits: a SHA-256, not the checksum of a repository.
  if (sha256 === null || sha256.length !== 64) throw new Error('The primary has no checksum of this file');
  if (copy.checksum !== null && copy.checksum !== sha256) await removeFile(services, copy, copy.checksum);
  const hasBlob = await lockPerBlob(sha256, async () => {
    await database.transaction((tx) => updateCopyLocation(tx, copy.id, { checksum: sha256 }));
    return copyBlob(blobs, primary, replicable, { sha256, forceDownload: copy.verification === 'failed' });
  });
  if (!hasBlob) throw new Error('The primary does not have this file');
  await database.transaction((tx) => updateUnlessChanged(tx, copy, buildSyncedColumns(tx)));
}

async function removeObject(services: SyncServices, copy: RegistryRow): Promise<void> {
  if (copy.storage !== null) await removeCopy(services.git, copy.storage, copy);
  else if (copy.checksum !== null) await removeFile(services, copy, copy.checksum);
  await services.database.transaction((tx) => deleteRegistryRow(tx, copy));
}

function removeFile({ database, blobs }: SyncServices, copy: RegistryRow, checksum: string): Promise<void> {
  return lockPerBlob(checksum, async () => {
    if (!(await isFileShared(database.reader, copy))) await deleteBlob(blobs, checksum);
  });
}
