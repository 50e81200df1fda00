import { createHash } from 'node:crypto';
import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openBlob } from '#blobs/index.ts';
import type { CopiedTable, Snapshot, Values } from '#database/copy.ts';
import { migrations } from '#database/migrations/index.ts';
import { repositoryAt } from '#git/git.ts';
import { objectInfo } from '#git/objects/object-reader.ts';
import { GitFailed } from '#git/process/failures.ts';
import { zeroId } from '#git/refs/refs.ts';
import { removeRemains } from '#git/refs/stale-locks.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { removedRepositories, syncDirectory } from '#git/storage/storage.ts';
import { writeBundle } from '#git/transfer/bundle.ts';
import { timestamp } from '#runtime/clock.ts';
import { hold } from '#runtime/deletion-guard.ts';
import { findSecretKey } from '#security/key-file.ts';
import { CommandFailed } from './command-failed.ts';
import {
  FORMAT,
  fingerprintOf,
  MANIFEST,
  type Manifest,
  partOfBlob,
  partOfBundle,
  partOfTable,
  REPOSITORIES,
  type RepositoryLine,
  SECRET_KEY,
  SUMS,
  type TablePart,
  writeManifest,
} from './manifest.ts';
import { inBytes } from './progress.ts';
import type { Kept } from './server-data.ts';
import { type Between, brokenRepository, openMoment, type RepositoryWithRefs } from './snapshot.ts';
import { openSpool, type Spool } from './spool.ts';
import { type TarWriter, tarWriter } from './tar.ts';

export interface BackupOrder {
  /** Of the archive, which is not there yet. */
  readonly file: string;
  readonly version: string;
  readonly withSecretKey?: boolean;
  /** In tests: what happens meanwhile. */
  readonly between?: Between;
}

/**
 * Writes one moment of a server, which may run, into an archive. The file is there when it is whole. What others remove
 * meanwhile is kept until the end (`deletion-guard.ts`).
 */
export async function backUp(kept: Kept, order: BackupOrder): Promise<Manifest> {
  const { file: path } = order;
  if (await exists(path)) throw new CommandFailed('failed', `${path} is there already`);
  const draft = `${path}.partial`;
  await rm(draft, { force: true });
  const file = await open(draft, 'wx+', 0o600);
  try {
    const manifest = await whileHeld(kept, () => writeArchive(kept, order, file));
    await rename(draft, path);
    await syncDirectory(dirname(path));
    return manifest;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Nothing goes from storages and blobs while this works; afterwards what should have gone does. */
async function whileHeld<T>({ clock, blobs, git }: Kept, work: () => Promise<T>): Promise<T> {
  const directories = [blobs.directory, ...Object.values(git.storages)];
  const releases = await Promise.all(directories.map((directory) => hold(directory, clock)));
  try {
    return await work();
  } finally {
    for (const release of releases) await release();
    await removeRemains(git);
  }
}

/** What it has that this version does not know, this version could not copy as it should be. */
async function refuseNewer(snapshot: Snapshot): Promise<void> {
  const unknown = snapshot.migrations.filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  await snapshot.close();
  throw new CommandFailed('failed', `The database was made by a newer version of Hearth: it has ${unknown.join(', ')}`);
}

/** What all parts of an archive are written by. */
interface Writing {
  readonly tar: TarWriter;
  readonly sums: Spool;
  count: number;
  bytes: number;
}

type Part = (write: (bytes: Buffer) => Promise<void>) => Promise<void>;

async function writeArchive(kept: Kept, order: BackupOrder, file: FileHandle): Promise<Manifest> {
  const { clock, database, config, progress } = kept;
  await using refs = await openSpool(`${order.file}.refs.partial`);
  await using names = await openSpool(`${order.file}.blobs.partial`);
  await using sums = await openSpool(`${order.file}.sums.partial`);
  const key = await findSecretKey(config);
  const { snapshot, repositories } = await openMoment(kept, refs, order.between);
  await refuseNewer(snapshot);
  const time = timestamp(clock);
  await order.between?.('the moment is chosen');
  const writing: Writing = { tar: tarWriter(file, clock.now()), sums, count: 0, bytes: 0 };
  const { tables, blobs } = await writeTables(kept, writing, snapshot, names).finally(() => snapshot.close());
  const written = await writeRepositories(kept, writing, repositories, refs);
  await writeBlobs(kept, writing, blobs, names);
  const withKey = order.withSecretKey === true && key !== null;
  if (withKey) {
    await addPart(writing, SECRET_KEY, (write) => write(Buffer.from(`${key.export().toString('hex')}\n`)));
  }
  const { count, bytes } = writing;
  const { sha256 } = await writing.tar.add(SUMS, async (write) => {
    for await (const piece of piecesOf(sums)) await write(piece);
  });
  const manifest: Manifest = {
    format: FORMAT,
    version: order.version,
    engine: database.engine,
    time,
    migrations: snapshot.migrations,
    key_fingerprint: key && fingerprintOf(key),
    with_secret_key: withKey,
    tables,
    repositories: written,
    blobs,
    parts: { count, bytes, sha256 },
  };
  await writing.tar.add(MANIFEST, (write) => write(Buffer.from(writeManifest(manifest))));
  await writing.tar.end();
  progress.say(
    `${Object.values(tables).reduce((rows, table) => rows + table.rows, 0)} rows, ${written.count} repositories with ` +
      `${written.refs} refs, ${blobs.count} blobs: ${inBytes(bytes)}`,
  );
  return manifest;
}

async function addPart(writing: Writing, name: string, part: Part): Promise<{ size: number; sha256: string }> {
  const added = await writing.tar.add(name, part);
  await writing.sums.add(Buffer.from(`${added.sha256}  ${name}\n`));
  writing.count += 1;
  writing.bytes += added.size;
  return added;
}

/** What is written into a part at once. */
const PIECE = 2 ** 18;

async function writeTables({ progress }: Kept, writing: Writing, snapshot: Snapshot, names: Spool) {
  const tables: Record<string, TablePart> = {};
  const blobs = { count: 0, bytes: 0 };
  for (const table of snapshot.tables) {
    let rows = 0;
    const lookAt = table.name === 'blobs' ? blobsIn(table, names, blobs) : async () => {};
    const { sha256 } = await addPart(writing, partOfTable(table.name), async (write) => {
      const lines = gather(write);
      await lines.add(`${JSON.stringify(table.columns.map(({ name, kind }) => [name, kind]))}\n`);
      for await (const some of snapshot.rows(table)) {
        for (const row of some) await lines.add(`${JSON.stringify(neutral(table, row))}\n`);
        await lookAt(some);
        rows += some.length;
        progress.tell(`${table.name}: ${rows} rows`);
      }
      await lines.end();
    });
    tables[table.name] = { rows, last_id: table.lastId, sha256 };
  }
  return { tables, blobs };
}

/** Notes the names of blobs as their rows come by. */
function blobsIn({ columns }: CopiedTable, names: Spool, blobs: { count: number; bytes: number }) {
  const [name, size] = ['sha256', 'size'].map((column) => columns.findIndex((each) => each.name === column));
  return async (rows: readonly Values[]) => {
    for (const row of rows) blobs.bytes += Number(row[size!]);
    blobs.count += rows.length;
    await names.add(Buffer.from(rows.map((row) => `${row[name!]}\n`).join('')));
  };
}

/** Bytes have no form in JSON: base64. What is no value of its column is not copied as if it were one. */
function neutral({ name, columns }: CopiedTable, row: Values): Values {
  return row.map((value, at) => {
    const { kind, name: column } = columns[at]!;
    if (value === null) return null;
    if (kind === 'bytes') return (value as Buffer).toString('base64');
    if (typeof value === JSON_TYPES[kind] && (kind !== 'integer' || Number.isSafeInteger(value))) return value;
    throw new CommandFailed(
      'failed',
      `${name}.${column} holds ${JSON.stringify(value)} in the row ${row[0]}: that is no ${kind}`,
    );
  });
}

const JSON_TYPES = { integer: 'number', real: 'number', boolean: 'boolean', text: 'string' } as const;

function gather(write: (bytes: Buffer) => Promise<void>) {
  let held: string[] = [];
  let size = 0;
  const end = async () => {
    if (size > 0) await write(Buffer.from(held.join('')));
    held = [];
    size = 0;
  };
  return {
    async add(text: string) {
      held.push(text);
      size += text.length;
      if (size >= PIECE) await end();
    },
    end,
  };
}

async function writeRepositories(
  kept: Kept,
  writing: Writing,
  repositories: readonly RepositoryWithRefs[],
  spool: Spool,
): Promise<Manifest['repositories']> {
  const lines = repositories.map(
    (each, index): RepositoryLine => ({
      name: each.name,
      storage: each.storage,
      disk_path: each.disk_path,
      default_branch: each.head,
      refs: each.refs.count,
      bundle: each.refs.count === 0 ? null : partOfBundle(index + 1),
    }),
  );
  await addPart(writing, REPOSITORIES, async (write) => {
    const gathered = gather(write);
    for (const line of lines) await gathered.add(`${JSON.stringify(line)}\n`);
    await gathered.end();
  });
  for (const [index, { bundle }] of lines.entries()) {
    const repository = repositories[index]!;
    if (bundle !== null) await writeRepository(kept, writing, repository, { bundle, spool });
    kept.progress.tell(`Repositories: ${index + 1} of ${lines.length}, ${inBytes(writing.bytes)} in all`);
  }
  return {
    count: lines.length,
    refs: lines.reduce((refs, line) => refs + line.refs, 0),
    storages: [...new Set(lines.map(({ storage }) => storage))].sort(),
  };
}

/** From where it is; where it was removed meanwhile, from what is still kept of it. */
async function writeRepository(
  { git }: Kept,
  writing: Writing,
  row: RepositoryWithRefs,
  { bundle, spool }: { bundle: string; spool: Spool },
): Promise<void> {
  const { storage, disk_path, head, intents } = row;
  const refs = await spool.read(row.refs.at, row.refs.length);
  const repository = repositoryAt(git, storage, disk_path);
  const moving = intents.flatMap((changes) => JSON.parse(changes) as RefChange[]);
  const named = moving.flatMap(({ oldId, newId }) => [oldId, newId]).filter((id) => id !== zeroId);
  let failure: unknown;
  for (const place of [repository, ...(await removedRepositories(repository))]) {
    try {
      // What was about to move when the server stood still is told of when it starts again, with these.
      const besides: string[] = [];
      for (const id of new Set(named))
        if ((await objectInfo(git, place, id).catch(() => null)) !== null) besides.push(id);
      await addPart(writing, bundle, (write) => writeBundle(git, place, { refs, head, besides }, write));
      return;
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      failure ??= brokenRepository(row, error);
    }
  }
  throw failure;
}

async function writeBlobs({ blobs, progress }: Kept, writing: Writing, { count }: Manifest['blobs'], names: Spool) {
  for (let index = 0; index < count; index++) {
    const sha256 = (await names.read(index * 65, 64)).toString('latin1');
    const opened = await openBlob(blobs, sha256);
    if (opened === null)
      throw new CommandFailed('failed', `The blob ${sha256} is not there: hearth doctor tells whose it is`);
    const hash = createHash('sha256');
    await addPart(writing, partOfBlob(sha256), async (write) => {
      for await (const bytes of opened.stream) {
        hash.update(bytes as Buffer);
        await write(bytes as Buffer);
      }
    });
    if (hash.digest('hex') !== sha256) {
      throw new CommandFailed('failed', `The blob ${sha256} is damaged: hearth doctor tells whose it is`);
    }
    progress.tell(`Blobs: ${index + 1} of ${count}, ${inBytes(writing.bytes)} in all`);
  }
}

async function* piecesOf(spool: Spool): AsyncGenerator<Buffer> {
  for (let at = 0; at < spool.size(); at += PIECE) yield spool.read(at, Math.min(PIECE, spool.size() - at));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
