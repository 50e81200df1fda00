import { randomUUID } from 'node:crypto';
import { mkdir, rename, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { sql } from 'kysely';
import { openSnapshot } from '#database/copy.ts';
import { repositoryAt } from '#git/git.ts';
import { GitFailed } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { headTarget, setHead } from '#git/refs/refs.ts';
import { directoriesOfRepositories } from '#git/refs/stale-locks.ts';
import type { Repository } from '#git/repository.ts';
import { fsck } from '#git/storage/maintenance.ts';
import { repositoryExists, syncDirectory } from '#git/storage/storage.ts';
import { listRefLines } from '#git/transfer/bundle.ts';
import { settleLeftIntents } from '#repositories/ref-updates/recovery.ts';
import { type KeptRepository, repositoriesIn } from '../repositories.ts';
import { type Check, type Examined, type Finding, LONG_AGO_MS } from './finding.ts';

/** Rows of repositories and what lies in the storages. */

async function rowsOf({ database }: Examined): Promise<KeptRepository[]> {
  const snapshot = await openSnapshot(database);
  return repositoriesIn(snapshot).finally(() => snapshot.close());
}

export const repositories: Check = {
  name: 'repositories',
  async *look(examined) {
    const rows = await rowsOf(examined);
    for (const [index, row] of rows.entries()) {
      examined.progress.tell(`Repositories: ${index} of ${rows.length}`);
      if (examined.git.storages[row.storage] === undefined) {
        yield { text: `${row.name} is in the storage ${row.storage}, which HEARTH_STORAGES does not name` };
      } else yield* stillSo(examined, row, await problemsOf(examined, row));
    }
  },
};

/** What has moved meanwhile is looked at once more: it was somebody's work, and not a fault. */
async function* stillSo(examined: Examined, row: KeptRepository, found: readonly Finding[]): AsyncGenerator<Finding> {
  if (found.length === 0) return;
  const now = (await rowsOf(examined)).find(({ name }) => name === row.name);
  if (now === undefined) return;
  const same = now.version === row.version && now.disk_path === row.disk_path && now.storage === row.storage;
  yield* same ? found : await problemsOf(examined, now);
}

async function problemsOf(examined: Examined, row: KeptRepository): Promise<Finding[]> {
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
    return [...broken, ...(await refsAgainstRow(examined, row, repository))];
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return [{ text: `The repository of ${row.name} is damaged (${place}): ${error.message}` }];
  }
}

async function refsAgainstRow(
  { git, database }: Examined,
  row: KeptRepository,
  repository: Repository,
): Promise<Finding[]> {
  const { name, default_branch, empty, intents } = row;
  // Where nobody but the repository says what HEAD is, and while refs move, there is nothing to compare.
  if (default_branch === null || intents.length > 0) return [];
  const found: Finding[] = [];
  if ((await headTarget(repository)) !== default_branch) {
    const run = async () => {
      await setHead(git, repository, default_branch);
      return true;
    };
    found.push({
      text: `HEAD of ${name} does not name its default branch ${default_branch}`,
      mend: { text: 'let it name that', run },
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
      mend: { text: 'say that there are', run },
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
    found.push({ text: `The summary of ${name} is of refs that it never had`, mend: { text: 'make it anew', run } });
  }
  return found;
}

/** Repositories that no row names. They are put aside and not removed: nobody knows what is in them. */
export const strays: Check = {
  name: 'storages',
  async *look(examined) {
    const { git, clock } = examined;
    for (const [storage, root] of Object.entries(git.storages)) {
      const named = new Set(
        (await rowsOf(examined)).filter((row) => row.storage === storage).map((row) => row.disk_path),
      );
      for await (const directory of directoriesOfRepositories(root)) {
        const path = relative(root, directory);
        const age = clock.now().getTime() - (await stat(join(directory, 'HEAD')).catch(() => stat(directory))).mtimeMs;
        if (named.has(path) || age < LONG_AGO_MS) continue;
        yield {
          text: `No row names ${path} in the storage ${storage}`,
          mend: {
            text: `move it to ${ASIDE} in that storage`,
            run: () => putAside(examined, { root, directory, path }),
          },
        };
      }
    }
  },
};

const ASIDE = 'put-aside';

/** False: there is a row by now. */
async function putAside(
  examined: Examined,
  { root, directory, path }: { root: string; directory: string; path: string },
) {
  if ((await rowsOf(examined)).some((row) => row.disk_path === path)) return false;
  const lost = join(root, ASIDE);
  await mkdir(lost, { recursive: true, mode: 0o700 });
  await rename(directory, join(lost, `${basename(directory)}.${randomUUID()}`));
  await syncDirectory(lost);
  return true;
}

/** Moves of refs whose process has died: a server settles them when it starts, and every minute. */
export const intents: Check = {
  name: 'intents',
  async *look(examined) {
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
        mend: {
          text: 'end it by what its refs say',
          async run() {
            await settleLeftIntents(examined, false);
            return !(await isLeft()).some((left) => left.id === id);
          },
        },
      };
    }
  },
};
