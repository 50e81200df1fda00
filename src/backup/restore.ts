import { createSecretKey, type KeyObject } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { storeBlob } from '#blobs/index.ts';
import type { Config } from '#config.ts';
import { type CopiedTable, type Filling, fillDatabase, type Values } from '#database/copy.ts';
import { lockDataDirectory } from '#database/data-directory-lock.ts';
import { migrate } from '#database/migrate.ts';
import { migrations } from '#database/migrations/index.ts';
import { repositoryAt } from '#git/git.ts';
import { validBranchName } from '#git/refs/refs.ts';
import { BundleDamaged, makeFromBundle } from '#git/transfer/bundle.ts';
import { isFailure } from '#runtime/failure.ts';
import { findSecretKey, keepSecretKey } from '#security/key-file.ts';
import { type Archive, damaged, linesOf, openArchive, partsOf, textOf, verifyArchive } from './archive.ts';
import { CommandFailed } from './command-failed.ts';
import {
  fingerprintOf,
  type Manifest,
  partOfTable,
  REPOSITORIES,
  type RepositoryLine,
  SECRET_KEY,
} from './manifest.ts';
import type { Progress } from './progress.ts';
import {
  expectEmptyDatabase,
  expectEmptyDirectories,
  markRestoring,
  removeEmptyDatabase,
  removeRestored,
  unmark,
} from './restore-target.ts';
import { type Kept, refuseSecondary, withKept } from './server-data.ts';
import { contentOf, type TarEntry } from './tar.ts';

/**
 * Makes a server of an archive, where none is. All of the archive is read and compared before anything is written, and
 * looked at once more as it is written; the rows, which make the rest a server, come last and all at once. What was
 * made by an older version is brought up to date then.
 */
export async function restore(config: Config, path: string, progress: Progress): Promise<Manifest> {
  refuseSecondary(config);
  await mkdir(config.dataDir, { recursive: true });
  const unlock = lockDataDirectory(config.dataDir);
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    unlock();
    throw new CommandFailed('failed', `${path} cannot be read: ${error.code}`);
  });
  /** Whether there is a database that holds nothing. */
  let bare = false;
  try {
    const names = migrations.map(({ name }) => name);
    const archive = await openArchive(file, names);
    refuseMissingStorages(config, archive.manifest);
    return await withKept(config, progress, async (kept) => {
      await expectEmptyDatabase(kept.database);
      bare = true;
      if (await expectEmptyDirectories(config)) progress.say('Removed what a restore that was broken off has left');
      const key = await keyFor(config, archive);
      await verifyArchive(archive, progress);
      await markRestoring(config);
      try {
        await writeAll(kept, archive, key);
      } catch (error) {
        await removeRestored(config);
        throw error;
      }
      bare = false;
      await unmark(config);
      await migrate(kept.database);
      return archive.manifest;
    });
  } finally {
    await file.close();
    if (bare) await removeEmptyDatabase(config);
    unlock();
  }
}

function refuseMissingStorages({ storages }: Config, { repositories }: Manifest): void {
  const missing = repositories.storages.filter((name) => storages[name] === undefined);
  if (missing.length > 0) {
    throw new CommandFailed(
      'failed',
      `The archive has repositories in storages that HEARTH_STORAGES does not name: ${missing.join(', ')}`,
    );
  }
}

/** The key that the data directory is to be given; null: it has the right one, or needs none. */
async function keyFor(config: Config, { file, manifest }: Archive): Promise<KeyObject | null> {
  const { key_fingerprint: wanted } = manifest;
  const here = await findSecretKey(config);
  if (wanted === null) return null;
  if (here !== null) {
    const fingerprint = fingerprintOf(here);
    if (fingerprint === wanted) return null;
    throw new CommandFailed(
      'otherKey',
      `The secrets of the archive are encrypted with the key ${wanted}; this server's is ${fingerprint}`,
    );
  }
  if (!manifest.with_secret_key) {
    throw new CommandFailed(
      'otherKey',
      `The secrets of the archive are encrypted with the key ${wanted}, which is not in it: set HEARTH_SECRET_KEY, or put its file secret-key into ${config.dataDir}`,
    );
  }
  const entry = await findPart(file, SECRET_KEY);
  const digits = entry === null ? '' : (await textOf(file, entry)).trim();
  const key = /^[0-9a-f]{64}$/.test(digits) ? createSecretKey(Buffer.from(digits, 'hex')) : null;
  if (key === null || fingerprintOf(key) !== wanted)
    throw damaged(`${SECRET_KEY} is not the key that it was made with`);
  return key;
}

async function findPart(file: FileHandle, name: string): Promise<TarEntry | null> {
  for await (const entry of partsOf(file)) if (entry.name === name) return entry;
  return null;
}

async function writeAll(kept: Kept, archive: Archive, key: KeyObject | null): Promise<void> {
  const { file, manifest } = archive;
  const tables = new Map<string, TarEntry>();
  const repositories = new Map<string, RepositoryLine>();
  let blobs = 0;
  for await (const entry of partsOf(file)) {
    const [folder, name] = entry.name.split('/');
    if (folder === 'tables') tables.set(entry.name, entry);
    else if (entry.name === REPOSITORIES) await readRepositories(file, entry, repositories);
    else if (folder === 'repositories') await writeRepository(kept, archive, entry, repositories);
    else if (folder === 'blobs') {
      await writeBlob(kept, file, entry, name!);
      blobs += 1;
    }
  }
  if (repositories.size > 0 || blobs !== manifest.blobs.count) throw damaged('repositories or blobs are missing');
  if (key !== null) {
    await markRestoring(kept.config, true);
    await keepSecretKey(kept.config.dataDir, key);
  }
  const known = migrations.filter(({ name }) => manifest.migrations.includes(name));
  await fillDatabase(kept.database, kept.clock, known, (filling) => fill(kept, archive, filling, tables));
}

/** Bytes of one repository's line, and of one row. */
const LONGEST_LINE = { repository: 64 * 1024, row: 2 ** 28 };

/** Those that have a bundle, by its part. */
async function readRepositories(file: FileHandle, entry: TarEntry, found: Map<string, RepositoryLine>): Promise<void> {
  for await (const text of linesOf(file, entry, LONGEST_LINE.repository)) {
    const line = parsed(text) as RepositoryLine;
    if (line.bundle !== null) found.set(line.bundle, line);
  }
}

async function writeRepository(
  { git, progress }: Kept,
  { file, manifest }: Archive,
  entry: TarEntry,
  repositories: Map<string, RepositoryLine>,
): Promise<void> {
  const line = repositories.get(entry.name);
  repositories.delete(entry.name);
  if (line === undefined || !validBranchName(line.default_branch)) throw damaged(`nothing tells what ${entry.name} is`);
  try {
    const repository = repositoryAt(git, line.storage, line.disk_path);
    await makeFromBundle(git, repository, { defaultBranch: line.default_branch }, contentOf(file, entry));
  } catch (error) {
    throw error instanceof BundleDamaged ? damaged(`${entry.name}: ${error.message}`) : error;
  }
  progress.tell(`Repositories: ${manifest.repositories.count - repositories.size} of ${manifest.repositories.count}`);
}

async function writeBlob({ blobs, progress }: Kept, file: FileHandle, entry: TarEntry, sha256: string): Promise<void> {
  const stored = await storeBlob(blobs, Readable.from(contentOf(file, entry)), { expectedSha256: sha256 });
  if (isFailure(stored)) throw damaged(`${entry.name} is not what its name says`);
  progress.tell(`Blobs: ${sha256}`);
}

/** Rows that are written at once. */
const SOME = { rows: 200, characters: 2 ** 22 };

async function fill(
  { progress }: Kept,
  { file, manifest }: Archive,
  filling: Filling,
  parts: ReadonlyMap<string, TarEntry>,
): Promise<void> {
  const names = filling.tables.map(({ name }) => name).sort();
  if (names.join() !== Object.keys(manifest.tables).sort().join())
    throw damaged('its tables are not those of its version');
  for (const table of filling.tables) {
    const { rows, last_id } = manifest.tables[table.name]!;
    const entry = parts.get(partOfTable(table.name));
    if (entry === undefined) throw damaged(`the table ${table.name} is missing`);
    const written = await fillTable(filling, table, linesOf(file, entry, LONGEST_LINE.row), (count) =>
      progress.tell(`${table.name}: ${count} of ${rows} rows`),
    );
    if (written !== rows) throw damaged(`the table ${table.name} has ${written} rows in place of ${rows}`);
    if (last_id !== null) await filling.setLastId(table.name, last_id);
  }
}

async function fillTable(
  filling: Filling,
  table: CopiedTable,
  lines: AsyncGenerator<string>,
  told: (count: number) => void,
): Promise<number> {
  const { value: first = '[]' } = await lines.next();
  const columns = columnsOf(table, parsed(first));
  let count = 0;
  let held: Values[] = [];
  let size = 0;
  const write = async () => {
    if (held.length > 0) await filling.insert({ ...table, columns }, held);
    count += held.length;
    held = [];
    size = 0;
    told(count);
  };
  for await (const line of lines) {
    held.push(valuesOf(table.name, columns, parsed(line)));
    size += line.length;
    if (held.length >= SOME.rows || size >= SOME.characters) await write();
  }
  await write();
  return count;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw damaged('a line of it is no JSON');
  }
}

type Columns = CopiedTable['columns'];

/** The columns in the archive's order, which are those that the table has. */
function columnsOf({ name, columns }: CopiedTable, first: unknown): Columns {
  const said = Array.isArray(first) ? (first as unknown[]) : [];
  const found = said.map((each) =>
    columns.find((column) => Array.isArray(each) && column.name === each[0] && column.kind === each[1]),
  );
  if (found.length !== columns.length || new Set(found).size !== columns.length || found.includes(undefined)) {
    throw damaged(`the columns of ${name} are not those of its version`);
  }
  return found as Columns;
}

function valuesOf(table: string, columns: Columns, row: unknown): Values {
  if (!Array.isArray(row) || row.length !== columns.length) throw damaged(`a row of ${table} has other columns`);
  return columns.map(({ kind }, at) => {
    const value: unknown = row[at];
    if (kind === 'bytes' && typeof value === 'string') return Buffer.from(value, 'base64');
    if (value === null || typeof value === JSON_TYPES[kind]) return value;
    throw damaged(`a row of ${table} holds what is no ${kind}`);
  });
}

const JSON_TYPES = { integer: 'number', real: 'number', boolean: 'boolean', text: 'string', bytes: 'string' } as const;
