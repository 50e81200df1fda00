import { GitFailed } from '#git/process/failures.ts';
import { fsck } from '#git/storage/maintenance.ts';
import { checksumOfRepository } from '#git/transfer/checksum.ts';
import { isRepository } from '../primary/schemas.ts';
import { checksumOfBlob } from './copy-blob.ts';
import { copyOf } from './copy-repository.ts';
import { type Copy, later, leave, settle, verified, waiting, wrong } from './registry.ts';
import type { Copying } from './sync.ts';

interface Verifying extends Copying {
  /** Brings the rows up to what the primary has told by now. */
  readonly followEvents: () => Promise<void>;
  /** Seconds until the primary is asked again for a checksum that it has not got yet. */
  readonly patience: number;
}

/**
 * Compares the copy with what the primary says of its own at this moment, and writes down what has come out. What was right
 * before is read whole: only that finds what has rotted. Throws for what is to be tried again (`postpone`).
 */
export async function verify(verifying: Verifying, copy: Copy): Promise<void> {
  const { database, primary, followEvents, patience } = verifying;
  const own = await ownChecksum(verifying, copy);
  const replicable = await primary.replicable(copy.replicable_name, copy.replicable_id);
  if (replicable === null) return database.transaction((tx) => leave(tx, copy));
  const { checksum } = replicable;
  if (checksum === null) return void (await database.transaction((tx) => settle(tx, copy, waiting(tx, patience))));
  if (own === checksum) {
    await database.transaction((tx) => settle(tx, copy, { ...verified(tx), checksum }));
    return;
  }
  // What has changed there since is no fault of the copy: then its row says that it is to be brought forward.
  await followEvents();
  const text = own === null ? 'The copy is broken' : 'The copy is not what the primary has';
  await database.transaction((tx) => settle(tx, copy, wrong(tx, copy, text)));
}

/** Later, as it was. */
export function postpone(verifying: Pick<Verifying, 'database'>, copy: Copy, text: string): Promise<boolean> {
  return verifying.database.transaction((tx) => settle(tx, copy, later(tx, { ...copy, pool: 'verification' }, text)));
}

/** Of what is here; null: it is broken, or not here. */
async function ownChecksum({ git, blobs }: Copying, copy: Copy): Promise<string | null> {
  if (!isRepository(copy.replicable_name)) {
    return copy.checksum === null ? null : checksumOfBlob(blobs, copy.checksum);
  }
  const repository = copyOf(git, copy.storage ?? 'default', copy);
  try {
    if (copy.verification === 'verified' && !(await fsck(git, repository)).ok) return null;
    return await checksumOfRepository(git, repository);
  } catch (error) {
    if (!(error instanceof GitFailed) || error.failure.kind === 'stopped') throw error;
    return null;
  }
}
