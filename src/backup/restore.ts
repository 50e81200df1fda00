import { createSecretKey, type KeyObject } from 'node:crypto';
import { type FileHandle, mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { storeBlob } from '#blobs/store.ts';
import type { Config } from '#config.ts';
import { isValueRejection } from '#database/constraint-violations.ts';
import { type CellValues, type RestoreTarget, restoreDatabase, type TableDefinition } from '#database/copy.ts';
import { lockDataDirectory } from '#database/data-directory-lock.ts';
import { migrate } from '#database/migrate.ts';
import { migrations as allMigrations } from '#database/migrations/index.ts';
import type { Migration } from '#database/migrations/migration.ts';
import { getRepositoryAt } from '#git/git.ts';
import { createFromBundle, DamagedBundle } from '#git/transfer/bundle.ts';
import { isFailure } from '#runtime/failure.ts';
import { openRegularFile } from '#runtime/regular-file.ts';
import { computeKeyFingerprint, findSecretKey, storeSecretKey } from '#security/key-file.ts';
import {
  type BackupArchive,
  damagedArchive,
  openArchive,
  parseLine,
  readLines,
  readParts,
  readText,
  verifyArchive,
} from './archive.ts';
import { matchRepositories, readRepositories } from './archived-repositories.ts';
import { CommandFailed } from './command-failed.ts';
import {
  buildBlobPartName,
  buildTablePartName,
  type Manifest,
  REPOSITORIES,
  type RepositoryLine,
  SECRET_KEY,
} from './manifest.ts';
import type { Progress } from './progress.ts';
import {
  deleteRestoredFiles,
  deleteRestoreMark,
  removeEmptyDatabase,
  requireEmptyDatabase,
  requireEmptyDirectories,
  writeRestoreMark,
} from './restore-target.ts';
import { requirePrimary, type ServerData, withServerData } from './server-data.ts';
import { readContent, type TarEntry } from './tar.ts';

/**
 * Restores an archive into an empty server. Verifies the whole archive before it writes anything, and verifies parts
 * again while writing. The rows come last, in one transaction; then newer migrations run.
 */
export async function restore(
  config: Config,
  path: string,
  progress: Progress,
  migrations: readonly Migration[] = allMigrations,
): Promise<Manifest> {
  requirePrimary(config);
  await mkdir(config.dataDir, { recursive: true });
  const unlock = lockDataDirectory(config.dataDir);
  let file: FileHandle | null = null;
  /** Whether an empty database has been created. */
  let hasEmptyDatabase = false;
  try {
    file = await openRegularFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new CommandFailed('failed', `${path} cannot be read: ${error.code}`);
    });
    if (file === null) throw new CommandFailed('failed', `${path} is not a regular file`);
    const archive = await openArchive(file, migrations);
    requireStorages(config, archive.manifest);
    return await withServerData(config, progress, async (server) => {
      await requireEmptyDatabase(server.database);
      hasEmptyDatabase = true;
      if (await requireEmptyDirectories(config)) progress.print('Removed the files of an interrupted restore');
      const key = await findMissingKey(config, archive);
      await verifyArchive(archive, progress);
      await writeRestoreMark(config);
      try {
        await writeArchiveContent(server, archive, { key, migrations });
      } catch (error) {
        await deleteRestoredFiles(config);
        throw error;
      }
      hasEmptyDatabase = false;
      await deleteRestoreMark(config);
      await migrate(server.database, migrations);
      return archive.manifest;
    });
  } finally {
    await file?.close();
    if (hasEmptyDatabase) await removeEmptyDatabase(config);
    unlock();
  }
}

/** Throws unless all storages of the archive are configured. */
function requireStorages({ storages }: Config, { repositories }: Manifest): void {
  const missing = repositories.storages.filter((name) => storages[name] === undefined);
  if (missing.length > 0) {
    throw new CommandFailed(
      'failed',
      `The archive has repositories in storages missing from HEARTH_STORAGES: ${missing.join(', ')}`,
    );
  }
}

/** Returns the key to write into the data directory; null if it has the right one or needs none. */
async function findMissingKey(config: Config, { file, manifest }: BackupArchive): Promise<KeyObject | null> {
  const { key_fingerprint: expectedFingerprint } = manifest;
  const serverKey = await findSecretKey(config);
  if (expectedFingerprint === null) return null;
  if (serverKey !== null) {
    const fingerprint = computeKeyFingerprint(serverKey);
    if (fingerprint === expectedFingerprint) return null;
    throw new CommandFailed(
      'otherKey',
      `The secrets of the archive are encrypted with the key ${expectedFingerprint}; this server's is ${fingerprint}`,
    );
  }
  if (!manifest.with_secret_key) {
    throw new CommandFailed(
      'otherKey',
      `The secrets of the archive are encrypted with the key ${expectedFingerprint}, which is not in it: set HEARTH_SECRET_KEY, or put its file secret-key into ${config.dataDir}`,
    );
  }
  const entry = await findPart(file, SECRET_KEY);
  const digits = entry === null ? '' : (await readText(file, entry)).trim();
  const key = /^[0-9a-f]{64}$/.test(digits) ? createSecretKey(Buffer.from(digits, 'hex')) : null;
  if (key === null || computeKeyFingerprint(key) !== expectedFingerprint)
    throw damagedArchive(`${SECRET_KEY} does not match the key fingerprint of the manifest`);
  return key;
}

async function findPart(file: FileHandle, name: string): Promise<TarEntry | null> {
  for await (const entry of readParts(file)) if (entry.name === name) return entry;
  return null;
}

/** Writes repositories and blobs in the order of the parts, then the key, and at last the rows in one transaction. */
async function writeArchiveContent(
  server: ServerData,
  archive: BackupArchive,
  { key, migrations }: { readonly key: KeyObject | null; readonly migrations: readonly Migration[] },
): Promise<void> {
  const { file, manifest } = archive;
  const tableEntries = new Map<string, TarEntry>();
  let repositories = new Map<string, RepositoryLine>();
  let repositoriesByBundle = new Map<string, RepositoryLine>();
  let blobCount = 0;
  for await (const entry of readParts(file)) {
    const [folder, name] = entry.name.split('/');
    if (folder === 'tables') tableEntries.set(entry.name, entry);
    else if (entry.name === REPOSITORIES) {
      repositories = await readRepositories(file, entry, manifest);
      repositoriesByBundle = new Map(
        [...repositories.values()].flatMap((line) => (line.bundle === null ? [] : [[line.bundle, line]])),
      );
    } else if (folder === 'repositories') await writeRepository(server, archive, entry, repositoriesByBundle);
    else if (folder === 'blobs') {
      await writeBlob(server, file, entry, name!);
      blobCount += 1;
    }
  }
  // `writeRepository` removes each entry of `repositoriesByBundle`.
  if (
    repositoriesByBundle.size > 0 ||
    repositories.size !== manifest.repositories.count ||
    blobCount !== manifest.blobs.count
  )
    throw damagedArchive('repositories or blobs are missing');
  if (key !== null) {
    // `true`: an interrupted restore has to delete the key, too.
    await writeRestoreMark(server.config, true);
    await storeSecretKey(server.config.dataDir, key);
  }
  const archivedMigrations = migrations.filter(({ name }) => manifest.migrations.includes(name));
  try {
    await restoreDatabase(server.database, server.clock, archivedMigrations, (target) =>
      fillTables(server, archive, target, { tableEntries, repositories }),
    );
  } catch (error) {
    throw isValueRejection(error) ? damagedArchive(`the database rejects its rows: ${error.message}`) : error;
  }
}

/** Maximum length of a row in bytes. */
const MAX_ROW_BYTES = 2 ** 28;

/** Creates a repository from its bundle, and removes it from the map. */
async function writeRepository(
  { git, progress }: ServerData,
  { file, manifest }: BackupArchive,
  entry: TarEntry,
  repositoriesByBundle: Map<string, RepositoryLine>,
): Promise<void> {
  const line = repositoriesByBundle.get(entry.name);
  repositoriesByBundle.delete(entry.name);
  if (line === undefined) throw damagedArchive(`${entry.name} belongs to no listed repository`);
  try {
    const repository = getRepositoryAt(git, line.storage, line.disk_path);
    await createFromBundle(git, repository, { defaultBranch: line.default_branch }, readContent(file, entry));
  } catch (error) {
    throw error instanceof DamagedBundle ? damagedArchive(`${entry.name}: ${error.message}`) : error;
  }
  progress.update(
    `Repositories: ${manifest.repositories.count - repositoriesByBundle.size} of ${manifest.repositories.count}`,
  );
}

/** Stores a blob. Throws if its content does not match the digest in its name. */
async function writeBlob(
  { blobs, progress }: ServerData,
  file: FileHandle,
  entry: TarEntry,
  sha256: string,
): Promise<void> {
  const storedBlob = await storeBlob(blobs, Readable.from(readContent(file, entry)), { expectedSha256: sha256 });
  if (isFailure(storedBlob)) throw damagedArchive(`${entry.name} does not match the digest in its name`);
  progress.update(`Blobs: ${sha256}`);
}

/** Maximum size of one insert statement. */
const INSERT_BATCH = { rows: 200, characters: 2 ** 22 };

/** Inserts the rows of all tables, and checks that they match the repositories and blobs of the archive. */
async function fillTables(
  { progress }: ServerData,
  { file, manifest }: BackupArchive,
  target: RestoreTarget,
  {
    tableEntries,
    repositories,
  }: { tableEntries: ReadonlyMap<string, TarEntry>; repositories: Map<string, RepositoryLine> },
): Promise<void> {
  const names = target.tables.map(({ name }) => name).sort();
  if (names.join() !== Object.keys(manifest.tables).sort().join())
    throw damagedArchive('its tables do not match its version');
  for (const table of target.tables) {
    const { rows, last_id } = manifest.tables[table.name]!;
    const entry = tableEntries.get(buildTablePartName(table.name));
    if (entry === undefined) throw damagedArchive(`the table ${table.name} is missing`);
    const blobPartNames = table.name === 'blobs' ? listBlobPartNames(file) : null;
    const lines = readLines(file, entry, MAX_ROW_BYTES);
    const rowCount = await fillTable(target, table, lines, async (columns, batch, count) => {
      matchRepositories(repositories, { ...table, columns }, batch);
      if (blobPartNames !== null) await matchBlobs(blobPartNames, columns, batch);
      progress.update(`${table.name}: ${count} of ${rows} rows`);
    });
    if (rowCount !== rows) throw damagedArchive(`the table ${table.name} has ${rowCount} rows instead of ${rows}`);
    if (blobPartNames !== null && rows !== manifest.blobs.count)
      throw damagedArchive('its blobs do not match its rows');
    if (last_id !== null) await target.setLastId(table.name, last_id);
  }
  // `matchRepositories` has removed each repository that has a row.
  for (const name of repositories.keys()) throw damagedArchive(`the row ${name} of a repository is missing`);
}

async function* listBlobPartNames(file: FileHandle): AsyncGenerator<string> {
  for await (const { name } of readParts(file)) if (name.startsWith(buildBlobPartName(''))) yield name;
}

/** Compares rows of blobs with the names of the parts, both in the order of their digests. */
async function matchBlobs(
  partNames: AsyncGenerator<string>,
  columns: Columns,
  rows: readonly CellValues[],
): Promise<void> {
  const digestIndex = columns.findIndex(({ name }) => name === 'sha256');
  for (const row of rows) {
    const name = buildBlobPartName(String(row[digestIndex]));
    if ((await partNames.next()).value !== name)
      throw damagedArchive(`${name} is missing, although a row refers to it`);
  }
}

/** Inserts the rows of a table in batches and returns their number. The first line names the columns. */
async function fillTable(
  target: RestoreTarget,
  table: TableDefinition,
  lines: AsyncGenerator<string>,
  onBatch: (columns: Columns, rows: readonly CellValues[], count: number) => Promise<void>,
): Promise<number> {
  const { value: header = '[]' } = await lines.next();
  const columns = matchColumns(table, parseLine(header));
  let count = 0;
  let batch: CellValues[] = [];
  let size = 0;
  const writeBatch = async () => {
    if (batch.length > 0) await target.insert({ ...table, columns }, batch);
    count += batch.length;
    await onBatch(columns, batch, count);
    batch = [];
    size = 0;
  };
  for await (const line of lines) {
    batch.push(parseRow(table.name, columns, parseLine(line)));
    size += line.length;
    if (batch.length >= INSERT_BATCH.rows || size >= INSERT_BATCH.characters) await writeBatch();
  }
  await writeBatch();
  return count;
}

type Columns = TableDefinition['columns'];

/** Returns the columns in the order of the archive. Throws if they are not those of the table. */
function matchColumns({ name, columns }: TableDefinition, header: unknown): Columns {
  const archivedColumns = Array.isArray(header) ? (header as unknown[]) : [];
  const tableColumns = archivedColumns.map((archived) =>
    columns.find((column) => Array.isArray(archived) && column.name === archived[0] && column.kind === archived[1]),
  );
  if (
    tableColumns.length !== columns.length ||
    new Set(tableColumns).size !== columns.length ||
    tableColumns.includes(undefined)
  ) {
    throw damagedArchive(`the columns of ${name} do not match its version`);
  }
  return tableColumns as Columns;
}

/** Returns the values of a row; base64 becomes bytes. Throws for values that do not have the type of their column. */
function parseRow(table: string, columns: Columns, row: unknown): CellValues {
  if (!Array.isArray(row) || row.length !== columns.length)
    throw damagedArchive(`a row of ${table} has the wrong columns`);
  return columns.map(({ kind }, index) => {
    const value: unknown = row[index];
    if (kind === 'bytes' && typeof value === 'string') return Buffer.from(value, 'base64');
    if (value === null || typeof value === JSON_TYPES[kind]) return value;
    throw damagedArchive(`a row of ${table} contains an invalid ${kind}`);
  });
}

/** JavaScript types of the values of each kind of column, as parsed from JSON. */
const JSON_TYPES = { integer: 'number', real: 'number', boolean: 'boolean', text: 'string', bytes: 'string' } as const;
