import { GitError } from '#git/process/failures.ts';
import { fsck } from '#git/storage/maintenance.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { isRepository } from '../primary/schemas.ts';
import { computeBlobChecksum } from './copy-blob.ts';
import { getCopy } from './copy-repository.ts';
import {
  buildAwaitingChecksumColumns,
  buildMismatchedColumns,
  buildPostponedColumns,
  buildVerifiedColumns,
  type RegistryRow,
  scheduleRemoval,
  updateUnlessChanged,
} from './registry.ts';
import type { SyncServices } from './sync.ts';

interface VerifyServices extends SyncServices {
  /** Processes all events up to now. */
  readonly followEvents: () => Promise<void>;
  /** Seconds until the next attempt if the primary has no checksum yet. */
  readonly checksumRetrySeconds: number;
}

/**
 * Compares the copy's checksum with the primary's and stores the result. A copy verified before is read completely,
 * which detects bit rot. Throws if it must be retried (`postpone`).
 */
export async function verifyCopy(services: VerifyServices, copy: RegistryRow): Promise<void> {
  const { database, primary, followEvents, checksumRetrySeconds } = services;
  const ownChecksum = await computeOwnChecksum(services, copy);
  const replicable = await primary.findReplicable(copy.replicable_name, copy.replicable_id);
  if (replicable === null) return database.transaction((tx) => scheduleRemoval(tx, copy));
  const { checksum } = replicable;
  if (checksum === null)
    return void (await database.transaction((tx) =>
      updateUnlessChanged(tx, copy, buildAwaitingChecksumColumns(tx, checksumRetrySeconds)),
    ));
  if (ownChecksum === checksum) {
    await database.transaction((tx) => updateUnlessChanged(tx, copy, { ...buildVerifiedColumns(tx), checksum }));
    return;
  }
  // A change on the primary since then is no fault of the copy: the event schedules an update.
  await followEvents();
  const text =
    ownChecksum === null ? 'The copy is broken' : 'The checksum of the copy differs from that of the primary';
  await database.transaction((tx) => updateUnlessChanged(tx, copy, buildMismatchedColumns(tx, copy, text)));
}

/** Schedules another attempt without other changes. */
export function postponeVerification(
  services: Pick<VerifyServices, 'database'>,
  copy: RegistryRow,
  text: string,
): Promise<boolean> {
  return services.database.transaction((tx) =>
    updateUnlessChanged(tx, copy, buildPostponedColumns(tx, { ...copy, pool: 'verification' }, text)),
  );
}

/** Returns the checksum of the local copy; null if it is damaged or missing. */
async function computeOwnChecksum({ git, blobs }: SyncServices, copy: RegistryRow): Promise<string | null> {
  if (!isRepository(copy.replicable_name)) {
    return copy.checksum === null ? null : computeBlobChecksum(blobs, copy.checksum);
  }
  const repository = getCopy(git, copy.storage ?? 'default', copy);
  try {
    if (copy.verification === 'verified' && !(await fsck(git, repository)).ok) return null;
    return await computeRepositoryChecksum(git, repository);
  } catch (error) {
    // `stopped`: git was aborted, which says nothing about the copy.
    if (!(error instanceof GitError) || error.failure.kind === 'stopped') throw error;
    return null;
  }
}
