import { holdRefs, openSnapshot, type Snapshot } from '#database/copy.ts';
import { repositoryAt } from '#git/git.ts';
import { GitFailed } from '#git/process/failures.ts';
import { headTarget } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { removedRepositories, repositoryExists } from '#git/storage/storage.ts';
import { listRefLines } from '#git/transfer/bundle.ts';
import { CommandFailed } from './command-failed.ts';
import { type KeptRepository, repositoriesIn } from './repositories.ts';
import type { Kept } from './server-data.ts';
import type { Spool } from './spool.ts';

/**
 * One moment of rows and refs. Refs move outside of the database, but each move has an intent there and raises the version of
 * its repository: refs that were listed at some version are those of a snapshot which has the same version and no
 * intent. So they are listed first, then the snapshot is taken, and those that have moved meanwhile are listed again, until few
 * are left. For these, those who move refs are held for an instant. A repository with an open intent is then what a crash
 * would leave: its intent is in the snapshot, and settled by what the refs say when the restored server starts.
 */
export interface Moment {
  readonly snapshot: Snapshot;
  readonly repositories: readonly RepositoryWithRefs[];
}

export interface RepositoryWithRefs extends KeptRepository {
  /** What HEAD names. */
  readonly head: string;
  /** Where its list of refs stands in the spool. */
  readonly refs: { readonly at: number; readonly length: number; readonly count: number };
}

/** Repositories for which those who move refs can be held up, and how long they are at most, in milliseconds. */
const FEW = 32;
const HELD_MS = 3_000;

/** Rounds after which more than a few are tried so. */
const ROUNDS = 8;

/** In tests: what happens between two steps. */
export type Between = (step: 'refs are listed' | 'the moment is chosen') => Promise<void>;

export async function openMoment(kept: Kept, spool: Spool, between: Between = async () => {}): Promise<Moment> {
  const listed = new Map<string, RepositoryWithRefs>();
  const list = async (rows: readonly KeptRepository[], until = Number.POSITIVE_INFINITY): Promise<boolean> => {
    for (const [index, row] of rows.entries()) {
      if (performance.now() > until) return false;
      if (kept.git.storages[row.storage] === undefined) {
        throw new CommandFailed(
          'failed',
          `${row.name} is in the storage ${row.storage}, which HEARTH_STORAGES does not name`,
        );
      }
      const repository = await placeOf(repositoryAt(kept.git, row.storage, row.disk_path));
      const lines = await listRefLines(kept.git, repository).catch((error) => {
        throw error instanceof GitFailed ? brokenRepository(row, error) : error;
      });
      const refs = { at: await spool.add(lines), length: lines.length, count: countLines(lines) };
      const head = row.default_branch ?? (await headTarget(repository)) ?? 'main';
      listed.set(row.name, { ...row, head, refs });
      kept.progress.tell(`Listing refs: ${index + 1} of ${rows.length} repositories`);
    }
    return true;
  };
  const moment = (snapshot: Snapshot, rows: readonly KeptRepository[]): Moment => ({
    snapshot,
    repositories: rows.map((row) => {
      const { head, refs } = listed.get(row.name)!;
      return { ...row, head: row.default_branch ?? head, refs };
    }),
  });
  for (let round = 0; ; round++) {
    const snapshot = await openSnapshot(kept.database);
    try {
      const rows = await repositoriesIn(snapshot);
      const moved = rows.filter((row) => !isOf(row, listed.get(row.name)));
      if (moved.length === 0) return moment(snapshot, rows);
      await snapshot.close();
      if (round > 0 && (moved.length <= FEW || round >= ROUNDS)) {
        const held = await whileHeld(kept, listed, list);
        if (held !== null) return moment(held.snapshot, held.rows);
      } else await list(moved);
    } catch (error) {
      await snapshot.close().catch(() => {});
      throw error;
    }
    await between('refs are listed');
  }
}

/** Where it is; where it was removed a moment ago, what is still kept of it. */
async function placeOf(repository: Repository): Promise<Repository> {
  if (await repositoryExists(repository)) return repository;
  return (await removedRepositories(repository))[0] ?? repository;
}

export function brokenRepository({ name, storage, disk_path }: KeptRepository, { message }: GitFailed): CommandFailed {
  const place = `${disk_path} in the storage ${storage}`;
  return new CommandFailed('failed', `The repository of ${name} (${place}) is damaged: ${message}`);
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(0x0a); at >= 0; at = lines.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

/** Null: too much has moved to be listed while others wait. */
async function whileHeld(
  { database }: Kept,
  listed: ReadonlyMap<string, RepositoryWithRefs>,
  list: (rows: readonly KeptRepository[], until: number) => Promise<boolean>,
): Promise<{ snapshot: Snapshot; rows: readonly KeptRepository[] } | null> {
  const release = await holdRefs(database);
  try {
    const until = performance.now() + HELD_MS;
    const snapshot = await openSnapshot(database);
    try {
      const rows = await repositoriesIn(snapshot);
      const whole = await list(
        rows.filter((row) => !isOf(row, listed.get(row.name))),
        until,
      );
      if (whole) return { snapshot, rows };
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

/** Whether what was listed is what this row means. */
function isOf(row: KeptRepository, listed: KeptRepository | undefined): boolean {
  return (
    listed !== undefined &&
    row.intents.length === 0 &&
    row.version === listed.version &&
    row.storage === listed.storage &&
    row.disk_path === listed.disk_path
  );
}
