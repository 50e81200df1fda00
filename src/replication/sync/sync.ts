import type { BlobStore } from '#blobs/index.ts';
import { removeBlob } from '#blobs/index.ts';
import type { Database, Transaction } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { GitFailed } from '#git/process/failures.ts';
import { turnsPerKey } from '#runtime/concurrency-limiter.ts';
import type { Primary } from '../primary/primary.ts';
import { isRepository, type Replicable } from '../primary/schemas.ts';
import { copyBlob } from './copy-blob.ts';
import { addressesOf, copyRepository, removeCopy, storageFor } from './copy-repository.ts';
import { type Copy, copied, failed, forget, isShared, later, leave, placeCopy, settle } from './registry.ts';

/** What copies are made with and of. */
export interface Copying {
  readonly database: Database;
  readonly git: Git;
  readonly blobs: BlobStore;
  readonly primary: Primary;
}

/** After so many failures in a row a repository is not brought forward any more: it may be what is wrong. */
const PATIENCE = 5;

/** Two copies that are one file are not made and removed at the same time. */
const turns = turnsPerKey({ waiting: 10_000, retryAfter: 1 });

/**
 * Makes the copy, brings it forward or removes it, as the primary has it at this moment, and writes down what has become of it.
 * Throws for what is to be tried again, of which nothing is written: `giveUp` does.
 */
export async function sync(copying: Copying, copy: Copy): Promise<void> {
  if (copy.state === 'leaving') return remove(copying, copy);
  const { primary, database } = copying;
  const replicable = await primary.replicable(copy.replicable_name, copy.replicable_id);
  if (replicable === null) return database.transaction((tx) => leave(tx, copy));
  if (isRepository(copy.replicable_name)) await syncRepository(copying, copy, replicable);
  else await syncBlob(copying, copy, replicable);
}

/** Writes down that it could not be done. */
export async function giveUp(tx: Transaction, copy: Copy, error: unknown, text: string): Promise<void> {
  if (copy.state === 'leaving') return void (await settle(tx, copy, later(tx, copy, text)));
  const anew = error instanceof GitFailed && copy.retries >= PATIENCE ? ({ verification: 'failed' } as const) : {};
  await settle(tx, copy, { ...failed(tx, copy, text), ...anew });
}

async function syncRepository(copying: Copying, copy: Copy, replicable: Replicable): Promise<void> {
  const { database, git, primary } = copying;
  const storage = storageFor(git, replicable);
  const addresses = addressesOf(replicable);
  if (copy.storage !== null && copy.storage !== storage) await removeCopy(git, copy.storage, copy);
  await database.transaction((tx) => placeCopy(tx, copy.id, { storage }));
  await copyRepository(git, primary, copy, replicable);
  await database.transaction((tx) => settle(tx, copy, { ...copied(tx), ...addresses }));
}

async function syncBlob(copying: Copying, copy: Copy, replicable: Replicable): Promise<void> {
  const { database, blobs, primary } = copying;
  const sha256 = replicable.checksum;
  if (sha256 === null || sha256.length !== 64) throw new Error('The primary has no checksum of this file');
  if (copy.checksum !== null && copy.checksum !== sha256) await removeFile(copying, copy, copy.checksum);
  const found = await turns(sha256, async () => {
    await database.transaction((tx) => placeCopy(tx, copy.id, { checksum: sha256 }));
    return copyBlob(blobs, primary, replicable, { sha256, anew: copy.verification === 'failed' });
  });
  if (!found) throw new Error('The primary has not got this file');
  await database.transaction((tx) => settle(tx, copy, copied(tx)));
}

async function remove(copying: Copying, copy: Copy): Promise<void> {
  if (copy.storage !== null) await removeCopy(copying.git, copy.storage, copy);
  else if (copy.checksum !== null) await removeFile(copying, copy, copy.checksum);
  await copying.database.transaction((tx) => forget(tx, copy));
}

function removeFile({ database, blobs }: Copying, copy: Copy, checksum: string): Promise<void> {
  return turns(checksum, async () => {
    if (!(await isShared(database.reader, copy))) await removeBlob(blobs, checksum);
  });
}
