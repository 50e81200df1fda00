import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { sql } from 'kysely';
import { openSnapshot } from '#database/copy.ts';
import { getRepositoryAt } from '#git/git.ts';
import { GitError } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { findHeadBranch, setHead } from '#git/refs/refs.ts';
import { listRepositoryDirectories, listStaleFiles, removeStaleRepositoryLocks } from '#git/refs/stale-locks.ts';
import type { Repository } from '#git/repository.ts';
import { fsck } from '#git/storage/maintenance.ts';
import { isDiskPath, repositoryExists, syncDirectory } from '#git/storage/storage.ts';
import { listRefLines } from '#git/transfer/bundle.ts';
import { recoverInterruptedRefUpdates } from '#repositories/ref-updates/recovery.ts';
import { listRepositories, type StoredRepository } from '../repositories.ts';
import {
  ABANDONED_AFTER_MS,
  type Check,
  type CheckContext,
  describeError,
  describeOwner,
  type Finding,
} from './finding.ts';
import { findLostStorages } from './lost-directories.ts';

// Compares the rows of repositories with the storages.

async function loadRows({ database }: CheckContext): Promise<StoredRepository[]> {
  const snapshot = await openSnapshot(database);
  return listRepositories(snapshot).finally(() => snapshot.close());
}

export const repositoriesCheck: Check = {
  name: 'repositories',
  async *run(context) {
    const allRows = await loadRows(context);
    const lostStorages = await findLostStorages(context, allRows);
    for (const { text } of lostStorages) yield { text };
    const rows = allRows.filter((row) => !lostStorages.some(({ storage }) => storage === row.storage));
    for (const [index, row] of rows.entries()) {
      context.progress.update(`Repositories: ${index} of ${rows.length}`);
      yield* recheckIfChanged(context, row, await checkRepository(context, row));
    }
  },
};

/** A finding about a repository, whose owner is named only if there is something to report. */
interface RepositoryFinding extends Pick<Finding, 'repair'> {
  /** Returns the text for an owner such as `project group/tool`. */
  describe(owner: string): string;
}

/** Checks a repository again if it changed during the check: the finding may have been work in progress. */
async function* recheckIfChanged(
  context: CheckContext,
  row: StoredRepository,
  findings: readonly RepositoryFinding[],
): AsyncGenerator<Finding> {
  if (findings.length === 0) return;
  const currentRow = (await loadRows(context)).find(({ name }) => name === row.name);
  if (currentRow === undefined) return;
  const isSame =
    currentRow.version === row.version && currentRow.disk_path === row.disk_path && currentRow.storage === row.storage;
  const [table, id] = row.name.split(' ') as [string, string];
  const owner = await describeOwner(context, table, Number(id));
  for (const { describe, ...finding } of isSame ? findings : await checkRepository(context, currentRow))
    yield { ...finding, text: describe(owner) };
}

/** Checks the location, the files and objects, and the row of a repository. */
async function checkRepository(context: CheckContext, row: StoredRepository): Promise<RepositoryFinding[]> {
  const { git } = context;
  if (!isDiskPath(row.disk_path)) {
    const path = JSON.stringify(row.disk_path);
    return [{ describe: (owner) => `The ${owner} has the path ${path}, which is not one of a storage` }];
  }
  const location = `${row.disk_path} in the storage ${row.storage}`;
  try {
    const repository = getRepositoryAt(git, row.storage, row.disk_path);
    if (!(await repositoryExists(repository))) {
      return row.empty ? [] : [{ describe: (owner) => `The repository of the ${owner} is missing: ${location}` }];
    }
    const specialFile = await findSpecialFile(repository);
    if (specialFile !== null) {
      return [
        {
          describe: (owner) =>
            `The repository of the ${owner} has a file that is not regular: ${specialFile} (${location})`,
        },
      ];
    }
    // Only that referenced objects exist: checking every object would take too long.
    const fsckResult = await fsck(git, repository, 'connectivity');
    if (!fsckResult.ok) {
      const [problem, ...others] = fsckResult.problems;
      const more = others.length > 0 ? ` (and ${others.length} more problems)` : '';
      return [{ describe: (owner) => `The repository of the ${owner} is damaged (${location}): ${problem}${more}` }];
    }
    return [...(await checkStaleFiles(context, repository)), ...(await checkRow(context, row, repository))];
  } catch (error) {
    const state = error instanceof GitError ? 'is damaged' : 'cannot be examined';
    return [{ describe: (owner) => `The repository of the ${owner} ${state} (${location}): ${describeError(error)}` }];
  }
}

/** Returns the path of the first pipe, socket, device (git would block on them) or broken link; null if there is none. */
async function findSpecialFile({ directory }: Repository, subdirectory = ''): Promise<string | null> {
  // git may delete directories meanwhile.
  for (const entry of await readdir(join(directory, subdirectory), { withFileTypes: true }).catch(() => [])) {
    const path = join(subdirectory, entry.name);
    const specialFile = entry.isDirectory() ? await findSpecialFile({ directory }, path) : null;
    if (specialFile !== null) return specialFile;
    if (entry.isFile() || entry.isDirectory()) continue;
    const target = entry.isSymbolicLink() ? await stat(join(directory, path)).catch(() => null) : null;
    if (!target?.isFile() && !target?.isDirectory()) return path;
  }
  return null;
}

/** Finds files of git commands that failed or were killed. */
async function checkStaleFiles({ git }: CheckContext, repository: Repository): Promise<RepositoryFinding[]> {
  const staleFiles = await listStaleFiles(git, repository);
  if (staleFiles.length === 0) return [];
  const sizes = await Promise.all(
    staleFiles.map((path) =>
      stat(path)
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const run = async () => {
    await removeStaleRepositoryLocks(git, repository);
    return true;
  };
  return [
    {
      describe: (owner) =>
        `The repository of the ${owner} has ${staleFiles.length} files of interrupted git commands (${bytes} bytes)`,
      repair: { text: 'remove them', run },
    },
  ];
}

/** Compares the row of a repository with its refs. */
async function checkRow(
  { git, database }: CheckContext,
  row: StoredRepository,
  repository: Repository,
): Promise<RepositoryFinding[]> {
  const { name, default_branch, empty, intents } = row;
  // During ref updates there is nothing to compare.
  if (intents.length > 0) return [];
  const findings: RepositoryFinding[] = [];
  if ((await findHeadBranch(repository)) !== default_branch) {
    const run = async () => {
      await setHead(git, repository, default_branch);
      return true;
    };
    findings.push({
      describe: (owner) => `HEAD of the ${owner} does not name its default branch ${default_branch}`,
      repair: { text: 'set HEAD to the default branch', run },
    });
  }
  const hasBranches = (await listRefLines(git, repository)).includes(` ${HEADS}`);
  const [table, id] = [name.split(' ')[0]!, Number(name.split(' ')[1])];
  const idColumn = sql.ref({ wikis: 'wiki_id', snippets: 'id' }[table] ?? 'project_id');
  // A new version makes readers of the row notice the change.
  const createRowUpdate = (setClause: string) => async () => {
    await database.transaction((tx) =>
      sql`update ${sql.table(table)} set ${sql.raw(setClause)}, ref_state_version = ref_state_version + 1 where ${idColumn} = ${id}`.execute(
        tx,
      ),
    );
    return true;
  };
  if (empty && hasBranches) {
    const run = createRowUpdate('empty = false');
    findings.push({
      describe: (owner) => `The ${owner} is marked as empty, but it has branches`,
      repair: { text: 'clear the mark', run },
    });
  }
  // Only projects have a summary. Its version begins with `ref_state_version`.
  if (table !== 'repositories') return findings;
  const [{ summary_version: summaryVersion } = { summary_version: null }] = await database.reader
    .selectFrom('repositories')
    .select('summary_version')
    .where('project_id', '=', id)
    .execute();
  if (summaryVersion !== null && Number.parseInt(summaryVersion, 10) > row.version) {
    const run = createRowUpdate('summary_version = null');
    findings.push({
      describe: (owner) => `The summary of the ${owner} has a newer version than its refs`,
      repair: { text: 'delete it, so that it is computed again', run },
    });
  }
  return findings;
}

/** Finds repositories without a row. They are moved aside and not deleted, because their content is unknown. */
export const orphanedRepositoriesCheck: Check = {
  name: 'storages',
  async *run(context) {
    const { git, clock } = context;
    for (const [storage, root] of Object.entries(git.storages)) {
      const knownPaths = new Set(
        (await loadRows(context)).filter((row) => row.storage === storage).map((row) => row.disk_path),
      );
      for await (const directory of listRepositoryDirectories(root)) {
        const path = relative(root, directory);
        const age = clock.now().getTime() - (await stat(join(directory, 'HEAD')).catch(() => stat(directory))).mtimeMs;
        if (knownPaths.has(path) || age < ABANDONED_AFTER_MS) continue;
        yield {
          text: `No row refers to ${path} in the storage ${storage}`,
          repair: {
            text: `move it to ${PUT_ASIDE_DIRECTORY} in that storage`,
            run: () => putAside(context, { storage, directory, path }),
          },
        };
      }
    }
  },
};

/** Directory for repositories without a row. The check does not look into it. */
const PUT_ASIDE_DIRECTORY = 'put-aside';

/** Moves a repository aside; returns false if it has a row by now. */
async function putAside(
  context: CheckContext,
  { storage, directory, path }: { storage: string; directory: string; path: string },
) {
  if ((await loadRows(context)).some((row) => row.storage === storage && row.disk_path === path)) return false;
  const target = join(context.git.storages[storage]!, PUT_ASIDE_DIRECTORY);
  await mkdir(target, { recursive: true, mode: 0o700 });
  await rename(directory, join(target, `${basename(directory)}.${randomUUID()}`));
  await syncDirectory(target);
  return true;
}

/** Finds ref updates of dead processes. A server completes them at start-up and every minute. */
export const unfinishedRefUpdatesCheck: Check = {
  name: 'intents',
  async *run(context) {
    const { database, clock } = context;
    const listAbandoned = () =>
      database.reader
        .selectFrom('ref_intents')
        .select(['id', 'project_id', 'wiki_id', 'snippet_id', 'created_at'])
        .where('lease_until', '<=', clock.now().toISOString())
        .orderBy('id')
        .execute();
    for (const { id, project_id, wiki_id, snippet_id, created_at } of await listAbandoned()) {
      const [table, ownerId] = Object.entries({ repositories: project_id, wikis: wiki_id, snippets: snippet_id }).find(
        ([, value]) => value !== null,
      )!;
      const owner = await describeOwner(context, table, ownerId!);
      yield {
        text: `An update of refs of the ${owner} from ${created_at} was never completed`,
        repair: {
          text: 'complete it from the current refs',
          async run() {
            // A server may be running, so only updates with an expired lease are completed.
            await recoverInterruptedRefUpdates(context, { isOnlyProcess: false });
            return !(await listAbandoned()).some((intent) => intent.id === id);
          },
        },
      };
    }
  },
};
