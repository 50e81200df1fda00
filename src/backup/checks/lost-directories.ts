import { readdir } from 'node:fs/promises';
import { hasErrorCode } from '#runtime/failure.ts';
import type { StoredRepository } from '../repositories.ts';
import { type CheckContext, describeError, describeOwner } from './finding.ts';

// Finds directories that are lost as a whole, such as a disk that is not mounted: one cause, whatever the number of its files.

/** Number of owners that a finding names. */
const NAMED_OWNERS = 3;

/**
 * Describes why nothing of a directory can be examined, such as `is missing`. Returns null if it has an entry of this name.
 */
export async function describeLoss(directory: string, entry: RegExp): Promise<string | null> {
  try {
    const names = await readdir(directory);
    return names.some((name) => entry.test(name)) ? null : 'is empty';
  } catch (error) {
    return hasErrorCode(error, 'ENOENT') ? 'is missing' : `cannot be read (${describeError(error)})`;
  }
}

/** A storage none of whose repositories can be examined. */
interface LostStorage {
  readonly storage: string;
  readonly text: string;
}

/** Returns the lost storages to which rows refer. */
export async function findLostStorages(
  context: CheckContext,
  rows: readonly StoredRepository[],
): Promise<LostStorage[]> {
  const lostStorages: LostStorage[] = [];
  for (const [storage, storedRows] of Map.groupBy(rows, (row) => row.storage)) {
    const directory = context.git.storages[storage];
    // A repository is created with its first content, and a storage with its first repository.
    const lostRows = directory === undefined ? storedRows : storedRows.filter(({ empty }) => !empty);
    if (lostRows.length === 0) continue;
    const problem =
      directory === undefined ? 'which HEARTH_STORAGES does not contain' : await describeLostRoot(directory);
    if (problem === null) continue;
    const owners = await describeOwners(context, lostRows);
    lostStorages.push({ storage, text: `The storage ${storage}, ${problem}, has the repositories of ${owners}` });
  }
  return lostStorages;
}

async function describeLostRoot(directory: string): Promise<string | null> {
  const loss = await describeLoss(directory, /^@hashed$/);
  return loss && `whose directory ${directory} ${loss}`;
}

async function describeOwners(context: CheckContext, rows: readonly StoredRepository[]): Promise<string> {
  const owners = await Promise.all(
    rows.slice(0, NAMED_OWNERS).map(({ name }) => {
      const [table, id] = name.split(' ') as [string, string];
      return describeOwner(context, table, Number(id));
    }),
  );
  const otherCount = rows.length - owners.length;
  return owners.join(', ') + (otherCount > 0 ? ` and ${otherCount} more` : '');
}
