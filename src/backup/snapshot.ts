import { type DatabaseSnapshot, lockRefs, openSnapshot } from '#database/copy.ts';
import { getRepositoryAt } from '#git/git.ts';
import { GitError } from '#git/process/failures.ts';
import type { Repository } from '#git/repository.ts';
import { isDiskPath, listRemovedRepositories, repositoryExists } from '#git/storage/storage.ts';
import { listRefLines } from '#git/transfer/bundle.ts';
import { CommandFailed } from './command-failed.ts';
import { listRepositories, type StoredRepository } from './repositories.ts';
import type { ServerData } from './server-data.ts';
import type { Spool } from './spool.ts';

/**
 * A consistent snapshot of rows and refs. Refs change outside the database, but each change has an intent there and
 * increments the version of its repository. Refs listed at some version therefore match a database snapshot with the
 * same version and no intent.
 * So the refs are listed first, then the snapshot is taken, and changed repositories are listed again until few are
 * left. For these, ref updates are blocked for a short time. A repository with an open intent is in the state after a
 * crash: the restored server completes the intent from its refs when it starts.
 */
interface ConsistentSnapshot {
  readonly snapshot: DatabaseSnapshot;
  readonly repositories: readonly RepositoryWithRefs[];
}

export interface RepositoryWithRefs extends StoredRepository {
  /** Position and length in bytes of its list of refs in the spool, and the number of refs. */
  readonly refs: { readonly position: number; readonly length: number; readonly count: number };
}

/** Maximum number of repositories to list while ref updates are blocked. */
const MAX_LOCKED_REPOSITORIES = 32;
/** Maximum milliseconds for which ref updates are blocked. */
const MAX_LOCK_MS = 3_000;

/** Number of rounds after which ref updates are blocked, however many repositories have changed. */
const MAX_ROUNDS = 8;

/** For tests: runs between two steps. */
export type BetweenSteps = (step: 'refs are listed' | 'the snapshot is open') => Promise<void>;

/** Opens a snapshot whose rows match the listed refs. Writes the lists of refs into the spool. */
export async function openConsistentSnapshot(
  server: ServerData,
  spool: Spool,
  betweenSteps: BetweenSteps = async () => {},
): Promise<ConsistentSnapshot> {
  const repositoriesByName = new Map<string, RepositoryWithRefs>();
  /** Lists refs into the spool. Returns false if the deadline, in the time of `performance.now()`, has passed. */
  const spoolRefs = async (
    rows: readonly StoredRepository[],
    deadlineMs = Number.POSITIVE_INFINITY,
  ): Promise<boolean> => {
    for (const [index, row] of rows.entries()) {
      if (performance.now() > deadlineMs) return false;
      if (server.git.storages[row.storage] === undefined) {
        throw new CommandFailed(
          'failed',
          `${row.name} is in the storage ${row.storage}, which HEARTH_STORAGES does not contain`,
        );
      }
      if (!isDiskPath(row.disk_path)) {
        throw new CommandFailed('failed', `${row.name} has a path outside its storage: hearth doctor shows it`);
      }
      const repository = await findRepository(getRepositoryAt(server.git, row.storage, row.disk_path));
      const lines = await listRefLines(server.git, repository).catch((error) => {
        throw error instanceof GitError ? createDamagedRepositoryError(row, error) : error;
      });
      const refs = { position: await spool.add(lines), length: lines.length, count: countLines(lines) };
      repositoriesByName.set(row.name, { ...row, refs });
      server.progress.update(`Listing refs: ${index + 1} of ${rows.length} repositories`);
    }
    return true;
  };
  const toResult = (snapshot: DatabaseSnapshot, rows: readonly StoredRepository[]): ConsistentSnapshot => ({
    snapshot,
    repositories: rows.map((row) => ({ ...row, refs: repositoriesByName.get(row.name)!.refs })),
  });
  for (let round = 0; ; round++) {
    const snapshot = await openSnapshot(server.database);
    try {
      const rows = await listRepositories(snapshot);
      const changedRows = rows.filter((row) => !isUnchanged(row, repositoriesByName.get(row.name)));
      if (changedRows.length === 0) return toResult(snapshot, rows);
      await snapshot.close();
      if (round > 0 && (changedRows.length <= MAX_LOCKED_REPOSITORIES || round >= MAX_ROUNDS)) {
        const lockedResult = await listWithRefsLocked(server, repositoriesByName, spoolRefs);
        if (lockedResult !== null) return toResult(lockedResult.snapshot, lockedResult.rows);
      } else await spoolRefs(changedRows);
    } catch (error) {
      await snapshot.close().catch(() => {});
      throw error;
    }
    await betweenSteps('refs are listed');
  }
}

/** Returns the repository or, if it was just deleted, the retained one. */
async function findRepository(repository: Repository): Promise<Repository> {
  if (await repositoryExists(repository)) return repository;
  return (await listRemovedRepositories(repository))[0] ?? repository;
}

export function createDamagedRepositoryError(
  { name, storage, disk_path }: StoredRepository,
  { message }: GitError,
): CommandFailed {
  const location = `${disk_path} in the storage ${storage}`;
  return new CommandFailed('failed', `The repository of ${name} (${location}) is damaged: ${message}`);
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let index = lines.indexOf(0x0a); index >= 0; index = lines.indexOf(0x0a, index + 1)) count += 1;
  return count;
}

/** Lists the changed repositories while ref updates are blocked. Returns null if it takes too long. */
async function listWithRefsLocked(
  { database }: ServerData,
  repositoriesByName: ReadonlyMap<string, RepositoryWithRefs>,
  spoolRefs: (rows: readonly StoredRepository[], deadlineMs: number) => Promise<boolean>,
): Promise<{ snapshot: DatabaseSnapshot; rows: readonly StoredRepository[] } | null> {
  const release = await lockRefs(database);
  try {
    const deadlineMs = performance.now() + MAX_LOCK_MS;
    const snapshot = await openSnapshot(database);
    try {
      const rows = await listRepositories(snapshot);
      const isComplete = await spoolRefs(
        rows.filter((row) => !isUnchanged(row, repositoriesByName.get(row.name))),
        deadlineMs,
      );
      if (isComplete) return { snapshot, rows };
      await snapshot.close();
      return null;
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  } finally {
    await release();
  }
}

/** Returns whether the listed refs are those of this row. */
function isUnchanged(row: StoredRepository, listedRepository: StoredRepository | undefined): boolean {
  return (
    listedRepository !== undefined &&
    row.intents.length === 0 &&
    row.version === listedRepository.version &&
    row.storage === listedRepository.storage &&
    row.disk_path === listedRepository.disk_path
  );
}
