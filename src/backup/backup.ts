import { createHash } from 'node:crypto';
import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openBlob } from '#blobs/store.ts';
import type { CellValues, DatabaseSnapshot, TableDefinition } from '#database/copy.ts';
import { getRepositoryAt } from '#git/git.ts';
import { getObjectInfo } from '#git/objects/object-reader.ts';
import { GitError } from '#git/process/failures.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { deleteRemovedRepositories } from '#git/refs/stale-locks.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { listRemovedRepositories, syncDirectory } from '#git/storage/storage.ts';
import { writeBundle } from '#git/transfer/bundle.ts';
import { timestamp } from '#runtime/clock.ts';
import { acquireDeletionGuard } from '#runtime/deletion-guard.ts';
import { computeKeyFingerprint, findSecretKey } from '#security/key-file.ts';
import { loadSecretKeyState } from '#settings/secret-key-state.ts';
import { CommandFailed } from './command-failed.ts';
import {
  ARCHIVE_FORMAT,
  buildBlobPartName,
  buildBundlePartName,
  buildTablePartName,
  formatManifest,
  MANIFEST,
  type Manifest,
  REPOSITORIES,
  type RepositoryLine,
  SECRET_KEY,
  SUMS,
  type TablePart,
} from './manifest.ts';
import { formatBytes } from './progress.ts';
import type { ServerData } from './server-data.ts';
import {
  type BetweenSteps,
  createDamagedRepositoryError,
  openConsistentSnapshot,
  type RepositoryWithRefs,
} from './snapshot.ts';
import { openSpool, type Spool } from './spool.ts';
import { createTarWriter, type TarWriter } from './tar.ts';

interface BackupOptions {
  /** Path of the archive, which must not exist. */
  readonly file: string;
  readonly version: string;
  readonly withSecretKey?: boolean;
  /** For tests: runs between two steps. */
  readonly betweenSteps?: BetweenSteps;
}

/**
 * Writes a consistent backup of a server, which may be running, into an archive. The file appears when it is complete.
 * Files that the server deletes meanwhile are retained until the end (`deletion-guard.ts`).
 */
export async function backUp(server: ServerData, options: BackupOptions): Promise<Manifest> {
  const { file: path } = options;
  if (await pathExists(path)) throw new CommandFailed('failed', `${path} already exists`);
  const partialPath = `${path}.partial`;
  await rm(partialPath, { force: true });
  const file = await open(partialPath, 'wx+', 0o600);
  try {
    const manifest = await withDeletionGuards(server, () => writeArchive(server, options, file));
    await rename(partialPath, path);
    await syncDirectory(dirname(path));
    return manifest;
  } catch (error) {
    await rm(partialPath, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Prevents deletions in storages and blobs while `work` runs; they are completed afterwards. */
async function withDeletionGuards<T>({ clock, blobs, git }: ServerData, work: () => Promise<T>): Promise<T> {
  const directories = [blobs.directory, ...Object.values(git.storages)];
  const releases = await Promise.all(directories.map((directory) => acquireDeletionGuard(directory, clock)));
  try {
    return await work();
  } finally {
    for (const release of releases) await release();
    await deleteRemovedRepositories(git);
  }
}

/** State of an archive that is being written. */
interface ArchiveWriter {
  readonly tar: TarWriter;
  readonly sumsSpool: Spool;
  /** Number and size of the parts so far, except the sums and the manifest. */
  count: number;
  bytes: number;
}

/** Writes the content of a part with `write`. */
type WritePart = (write: (bytes: Buffer) => Promise<void>) => Promise<void>;

/** Writes all parts in the order of `PARTS`. Returns the manifest, the last part. */
async function writeArchive(server: ServerData, options: BackupOptions, file: FileHandle): Promise<Manifest> {
  const { clock, database, config, progress } = server;
  await using refsSpool = await openSpool(`${options.file}.refs.partial`);
  await using blobNamesSpool = await openSpool(`${options.file}.blobs.partial`);
  await using sumsSpool = await openSpool(`${options.file}.sums.partial`);
  if ((await loadSecretKeyState(database.reader))?.rotation !== undefined) {
    throw new CommandFailed(
      'failed',
      'The stored secrets have two keys, because a rotation is not complete: run hearth secret-key rotate again',
    );
  }
  const key = await findSecretKey(config);
  const { snapshot, repositories } = await openConsistentSnapshot(server, refsSpool, options.betweenSteps);
  const time = timestamp(clock);
  await options.betweenSteps?.('the snapshot is open');
  const writer: ArchiveWriter = { tar: createTarWriter(file, clock.now()), sumsSpool, count: 0, bytes: 0 };
  const { tables, blobs } = await writeTables(server, writer, snapshot, blobNamesSpool).finally(() => snapshot.close());
  const repositoryTotals = await writeRepositories(server, writer, repositories, refsSpool);
  await writeBlobs(server, writer, blobs, blobNamesSpool);
  const includesKey = options.withSecretKey === true && key !== null;
  if (includesKey) {
    await addPart(writer, SECRET_KEY, (write) => write(Buffer.from(`${key.export().toString('hex')}\n`)));
  }
  // `tar.add`, not `addPart`: the sums and the manifest are not listed in the sums.
  const { count, bytes } = writer;
  const { sha256 } = await writer.tar.add(SUMS, async (write) => {
    for await (const chunk of readChunks(sumsSpool)) await write(chunk);
  });
  const manifest: Manifest = {
    format: ARCHIVE_FORMAT,
    version: options.version,
    engine: database.engine,
    time,
    migrations: [...snapshot.migrations],
    key_fingerprint: key && computeKeyFingerprint(key),
    with_secret_key: includesKey,
    tables,
    repositories: repositoryTotals,
    blobs,
    parts: { count, bytes, sha256 },
  };
  await writer.tar.add(MANIFEST, (write) => write(Buffer.from(formatManifest(manifest))));
  await writer.tar.end();
  progress.print(
    `${Object.values(tables).reduce((rows, table) => rows + table.rows, 0)} rows, ${repositoryTotals.count} repositories with ` +
      `${repositoryTotals.refs} refs, ${blobs.count} blobs: ${formatBytes(bytes)}`,
  );
  return manifest;
}

/** Adds a part and the line with its checksum. */
async function addPart(
  writer: ArchiveWriter,
  name: string,
  part: WritePart,
): Promise<{ size: number; sha256: string }> {
  const addedPart = await writer.tar.add(name, part);
  await writer.sumsSpool.add(Buffer.from(`${addedPart.sha256}  ${name}\n`));
  writer.count += 1;
  writer.bytes += addedPart.size;
  return addedPart;
}

/** Bytes per write into a part. */
const CHUNK_BYTES = 2 ** 18;

/** Writes one part per table: a line with the columns, then a line per row. Returns the totals. */
async function writeTables(
  { progress }: ServerData,
  writer: ArchiveWriter,
  snapshot: DatabaseSnapshot,
  blobNamesSpool: Spool,
) {
  const tables: Record<string, TablePart> = {};
  const blobTotals = { count: 0, bytes: 0 };
  for (const table of snapshot.tables) {
    let rows = 0;
    const onRows = table.name === 'blobs' ? createBlobNameCollector(table, blobNamesSpool, blobTotals) : async () => {};
    const { sha256 } = await addPart(writer, buildTablePartName(table.name), async (write) => {
      const lines = createTextBuffer(write);
      await lines.add(`${JSON.stringify(table.columns.map(({ name, kind }) => [name, kind]))}\n`);
      for await (const batch of snapshot.streamRows(table)) {
        for (const row of batch) await lines.add(`${JSON.stringify(toJsonValues(table, row))}\n`);
        await onRows(batch);
        rows += batch.length;
        progress.update(`${table.name}: ${rows} rows`);
      }
      await lines.flush();
    });
    tables[table.name] = { rows, last_id: table.lastId, sha256 };
  }
  return { tables, blobs: blobTotals };
}

/** Returns a function that appends the digests in rows of blobs to the spool and adds up their sizes. */
function createBlobNameCollector(
  { columns }: TableDefinition,
  blobNamesSpool: Spool,
  blobTotals: { count: number; bytes: number },
) {
  const [digestIndex, sizeIndex] = ['sha256', 'size'].map((column) =>
    columns.findIndex((candidate) => candidate.name === column),
  );
  return async (rows: readonly CellValues[]) => {
    for (const row of rows) blobTotals.bytes += Number(row[sizeIndex!]);
    blobTotals.count += rows.length;
    await blobNamesSpool.add(Buffer.from(rows.map((row) => `${row[digestIndex!]}\n`).join('')));
  };
}

/** Converts a row for JSON: bytes become base64. Throws for a value that does not have the type of its column. */
function toJsonValues({ name, columns }: TableDefinition, row: CellValues): CellValues {
  return row.map((value, index) => {
    const { kind, name: column } = columns[index]!;
    if (value === null) return null;
    if (kind === 'bytes') return (value as Buffer).toString('base64');
    if (typeof value === JSON_TYPES[kind] && (kind !== 'integer' || Number.isSafeInteger(value))) return value;
    throw new CommandFailed(
      'failed',
      `${name}.${column} holds ${JSON.stringify(value)} in the row ${row[0]}, which is not of the type ${kind}`,
    );
  });
}

/** JavaScript types of the values of each kind of column. */
const JSON_TYPES = { integer: 'number', real: 'number', boolean: 'boolean', text: 'string' } as const;

/** Collects texts and writes them in chunks of at least CHUNK_BYTES characters. `flush` writes the rest. */
function createTextBuffer(write: (bytes: Buffer) => Promise<void>) {
  let bufferedLines: string[] = [];
  let size = 0;
  const flush = async () => {
    if (size > 0) await write(Buffer.from(bufferedLines.join('')));
    bufferedLines = [];
    size = 0;
  };
  return {
    async add(text: string) {
      bufferedLines.push(text);
      size += text.length;
      if (size >= CHUNK_BYTES) await flush();
    },
    flush,
  };
}

/** Writes the list of repositories, then one bundle for each that is not empty. */
async function writeRepositories(
  server: ServerData,
  writer: ArchiveWriter,
  repositories: readonly RepositoryWithRefs[],
  refsSpool: Spool,
): Promise<Manifest['repositories']> {
  const lines = repositories.map(
    (repository, index): RepositoryLine => ({
      name: repository.name,
      storage: repository.storage,
      disk_path: repository.disk_path,
      default_branch: repository.default_branch,
      refs: repository.refs.count,
      bundle: repository.refs.count === 0 ? null : buildBundlePartName(index + 1),
    }),
  );
  await addPart(writer, REPOSITORIES, async (write) => {
    const buffer = createTextBuffer(write);
    for (const line of lines) await buffer.add(`${JSON.stringify(line)}\n`);
    await buffer.flush();
  });
  for (const [index, { bundle }] of lines.entries()) {
    const repository = repositories[index]!;
    if (bundle !== null) await writeRepository(server, writer, repository, { bundle, refsSpool });
    server.progress.update(`Repositories: ${index + 1} of ${lines.length}, ${formatBytes(writer.bytes)} in all`);
  }
  return {
    count: lines.length,
    refs: lines.reduce((refs, line) => refs + line.refs, 0),
    storages: [...new Set(lines.map(({ storage }) => storage))].sort(),
  };
}

/** Writes a repository from its directory or, if it was deleted meanwhile, from the retained one. */
async function writeRepository(
  { git }: ServerData,
  writer: ArchiveWriter,
  row: RepositoryWithRefs,
  { bundle, refsSpool }: { bundle: string; refsSpool: Spool },
): Promise<void> {
  const { storage, disk_path, default_branch: head, intents } = row;
  const refs = await refsSpool.read(row.refs.position, row.refs.length);
  const repository = getRepositoryAt(git, storage, disk_path);
  const pendingChanges = intents.flatMap((changes) => JSON.parse(changes) as RefChange[]);
  const pendingIds = pendingChanges.flatMap(({ oldId, newId }) => [oldId, newId]).filter((id) => id !== ZERO_ID);
  let failure: unknown;
  for (const candidate of [repository, ...(await listRemovedRepositories(repository))]) {
    try {
      // Includes the commits of unfinished ref updates, which the restored server completes when it starts.
      const extraIds: string[] = [];
      for (const id of new Set(pendingIds))
        if ((await getObjectInfo(git, candidate, id).catch(() => null)) !== null) extraIds.push(id);
      await addPart(writer, bundle, (write) => writeBundle(git, candidate, { refs, head, extraIds }, write));
      return;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      failure ??= createDamagedRepositoryError(row, error);
    }
  }
  throw failure;
}

/** Length of a blob's digest in hexadecimal digits; the spool has one digest per line. */
const DIGEST_LENGTH = 64;

/** Writes one part per blob. Throws if a file is missing or does not match its digest. */
async function writeBlobs(
  { blobs, progress }: ServerData,
  writer: ArchiveWriter,
  { count }: Manifest['blobs'],
  blobNamesSpool: Spool,
) {
  for (let index = 0; index < count; index++) {
    const sha256 = (await blobNamesSpool.read(index * (DIGEST_LENGTH + 1), DIGEST_LENGTH)).toString('latin1');
    const openedBlob = await openBlob(blobs, sha256);
    if (openedBlob === null)
      throw new CommandFailed('failed', `The blob ${sha256} is missing: hearth doctor shows its owner`);
    const hash = createHash('sha256');
    await addPart(writer, buildBlobPartName(sha256), async (write) => {
      for await (const bytes of openedBlob.stream) {
        hash.update(bytes as Buffer);
        await write(bytes as Buffer);
      }
    });
    if (hash.digest('hex') !== sha256) {
      throw new CommandFailed('failed', `The blob ${sha256} is damaged: hearth doctor shows its owner`);
    }
    progress.update(`Blobs: ${index + 1} of ${count}, ${formatBytes(writer.bytes)} in all`);
  }
}

async function* readChunks(spool: Spool): AsyncGenerator<Buffer> {
  for (let position = 0; position < spool.size(); position += CHUNK_BYTES)
    yield spool.read(position, Math.min(CHUNK_BYTES, spool.size() - position));
}

async function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
