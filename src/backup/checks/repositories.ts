import { randomUUID } from 'node:crypto';
import { mkdir, rename, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { sql } from 'kysely';
import { openSnapshot } from '#database/copy.ts';
import { repositoryAt } from '#git/git.ts';
import { GitError } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { findHeadBranch, setHead } from '#git/refs/refs.ts';
import { listRepositoryDirectories } from '#git/refs/stale-locks.ts';
import type { Repository } from '#git/repository.ts';
import { fsck } from '#git/storage/maintenance.ts';
import { repositoryExists, syncDirectory } from '#git/storage/storage.ts';
import { listRefLines } from '#git/transfer/bundle.ts';
import { completeAbandonedIntents } from '#repositories/ref-updates/recovery.ts';
import { listRepositories, type StoredRepository } from '../repositories.ts';
import { ABANDONED_AFTER_MS, type Check, type CheckContext, type Finding } from './finding.ts';

/** Compares the rows of repositories with the storages. */

async function loadRows({ database }: CheckContext): Promise<StoredRepository[]> {
  const snapshot = await openSnapshot(database);
  return listRepositories(snapshot).finally(() => snapshot.close());
}

export const repositories: Check = {
  name: 'repositories',
  async *run(examined) {
    const rows = await loadRows(examined);
    for (const [index, row] of rows.entries()) {
      examined.progress.update(`Repositories: ${index} of ${rows.length}`);
      if (examined.git.storages[row.storage] === undefined) {
        yield { text: `${row.name} is in the storage ${row.storage}, which HEARTH_STORAGES does not contain` };
      } else yield* recheckIfMoved(examined, row, await checkRepository(examined, row));
    }
  },
};

/** Checks a repository again if it changed during the check: the finding may have been work in progress. */
async function* recheckIfMoved(
  examined: CheckContext,
  row: StoredRepository,
  found: readonly Finding[],
): AsyncGenerator<Finding> {
  if (found.length === 0) return;
  const now = (await loadRows(examined)).find(({ name }) => name === row.name);
  if (now === undefined) return;
  const same = now.version === row.version && now.disk_path === row.disk_path && now.storage === row.storage;
  yield* same ? found : await checkRepository(examined, now);
}

async function checkRepository(examined: CheckContext, row: StoredRepository): Promise<Finding[]> {
  const { git } = examined;
  const repository = repositoryAt(git, row.storage, row.disk_path);
  const place = `${row.disk_path} in the storage ${row.storage}`;
  if (!(await repositoryExists(repository))) {
    const wanted = row.default_branch === null ? row.version > 0 : !row.empty;
    return wanted ? [{ text: `The repository of ${row.name} is not there: ${place}` }] : [];
  }
  try {
    const checked = await fsck(git, repository, 'connected');
    const broken = checked.ok
      ? []
      : checked.problems
          .slice(0, 5)
          .map((problem) => ({ text: `The repository of ${row.name} is damaged (${place}): ${problem}` }));
    return [...broken, ...(await checkRow(examined, row, repository))];
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return [{ text: `The repository of ${row.name} is damaged (${place}): ${error.message}` }];
  }
}

async function checkRow(
  { git, database }: CheckContext,
  row: StoredRepository,
  repository: Repository,
): Promise<Finding[]> {
  const { name, default_branch, empty, intents } = row;
  // Without a stored HEAD, or during ref updates, there is nothing to compare.
  if (default_branch === null || intents.length > 0) return [];
  const found: Finding[] = [];
  if ((await findHeadBranch(repository)) !== default_branch) {
    const run = async () => {
      await setHead(git, repository, default_branch);
      return true;
    };
    found.push({
      text: `HEAD of ${name} does not name its default branch ${default_branch}`,
      repair: { text: 'let it name that', run },
    });
  }
  const hasBranches = (await listRefLines(git, repository)).includes(` ${HEADS}`);
  const [table, id] = [name.split(' ')[0] as string, Number(name.split(' ')[1])];
  const key = sql.ref(table === 'wikis' ? 'wiki_id' : 'project_id');
  const change = (set: string) => async () => {
    await database.transaction((tx) =>
      sql`update ${sql.table(table)} set ${sql.raw(set)}, ref_state_version = ref_state_version + 1 where ${key} = ${id}`.execute(
        tx,
      ),
    );
    return true;
  };
  if (empty && hasBranches) {
    const run = change('empty = false');
    found.push({
      text: `${name} says that nothing was pushed, but it has branches`,
      repair: { text: 'say that there are', run },
    });
  }
  if (table !== 'repositories') return found;
  const [{ summary_version: summary } = { summary_version: null }] = await database.reader
    .selectFrom('repositories')
    .select('summary_version')
    .where('project_id', '=', id)
    .execute();
  if (summary !== null && Number.parseInt(summary, 10) > row.version) {
    const run = change('summary_version = null');
    found.push({ text: `The summary of ${name} is of refs that it never had`, repair: { text: 'make it anew', run } });
  }
  return found;
}

/** Finds repositories without a row. They are moved aside and not deleted, because their content is unknown. */
export const strays: Check = {
  name: 'storages',
  async *run(examined) {
    const { git, clock } = examined;
    for (const [storage, root] of Object.entries(git.storages)) {
      const named = new Set(
        (await loadRows(examined)).filter((row) => row.storage === storage).map((row) => row.disk_path),
      );
      for await (const directory of listRepositoryDirectories(root)) {
        const path = relative(root, directory);
        const age = clock.now().getTime() - (await stat(join(directory, 'HEAD')).catch(() => stat(directory))).mtimeMs;
        if (named.has(path) || age < ABANDONED_AFTER_MS) continue;
        yield {
          text: `No row names ${path} in the storage ${storage}`,
          repair: {
            text: `move it to ${PUT_ASIDE_DIRECTORY} in that storage`,
            run: () => putAside(examined, { root, directory, path }),
          },
        };
      }
    }
  },
};

const PUT_ASIDE_DIRECTORY = 'put-aside';

/** Moves a repository aside; returns false if it has a row by now. */
async function putAside(
  examined: CheckContext,
  { root, directory, path }: { root: string; directory: string; path: string },
) {
  if ((await loadRows(examined)).some((row) => row.disk_path === path)) return false;
  const lost = join(root, PUT_ASIDE_DIRECTORY);
  await mkdir(lost, { recursive: true, mode: 0o700 });
  await rename(directory, join(lost, `${basename(directory)}.${randomUUID()}`));
  await syncDirectory(lost);
  return true;
}

/** Finds ref updates of dead processes. A server completes them at start-up and every minute. */
export const intents: Check = {
  name: 'intents',
  async *run(examined) {
    const { database, clock } = examined;
    const isLeft = () =>
      database.reader
        .selectFrom('ref_intents')
        .select(['id', 'project_id', 'wiki_id', 'created_at'])
        .where('lease_until', '<=', clock.now().toISOString())
        .orderBy('id')
        .execute();
    for (const { id, project_id, wiki_id, created_at } of await isLeft()) {
      yield {
        text: `A move of refs of the ${project_id === null ? `wiki ${wiki_id}` : `project ${project_id}`} from ${created_at} was never ended`,
        repair: {
          text: 'end it by what its refs say',
          async run() {
            await completeAbandonedIntents(examined, false);
            return !(await isLeft()).some((left) => left.id === id);
          },
        },
      };
    }
  },
};
