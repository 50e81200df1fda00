import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Config, loadConfig } from '#config.ts';
import { openSnapshot } from '#database/copy.ts';
import { openDatabase } from '#database/database.ts';
import type { Migration } from '#database/migrations/migration.ts';
import { systemClock } from '#runtime/clock.ts';
import { engine, type TestPlace, testPlace } from '#test/engines/engine.ts';
import { scratchDirectory } from '#test/engines/scratch.ts';
import type { World } from '#test/support/world.ts';
import { backUp } from './backup.ts';
import { formatManifest, MANIFEST, type Manifest, SUMS } from './manifest.ts';
import { createProgress } from './progress.ts';
import { restore } from './restore.ts';
import { withServerData } from './server-data.ts';
import type { BetweenSteps } from './snapshot.ts';
import { createTarWriter, readContent, readTarEntries } from './tar.ts';

// Helpers that create, read, change and restore archives in tests.

export const silentProgress = createProgress({ write: () => true });

interface ArchiveOptions {
  /** Path of the archive; default: a new file. */
  readonly file?: string;
  readonly withSecretKey?: boolean;
  readonly betweenSteps?: BetweenSteps;
}

/** Backs up the server with this configuration. Returns the path of the archive. */
export async function createBackupArchive(config: Config, overrides: ArchiveOptions = {}): Promise<string> {
  const options = {
    file: join(await scratchDirectory('hearth-archive-'), 'backup.tar'),
    version: '1.2.3',
    ...overrides,
  };
  await withServerData(config, silentProgress, (server) => backUp(server, options));
  return options.file;
}

/** Creates an empty data directory and database; default: of the engine of this test run. */
export async function createEmptyPlace(databaseEngine = engine): Promise<TestPlace> {
  if (databaseEngine === engine) return testPlace('empty');
  const dataDir = await scratchDirectory('hearth-test-');
  const remove = async () => {};
  return { dataDir, url: undefined, remove, [Symbol.asyncDispose]: remove };
}

export function loadConfigOf(
  place: Pick<TestPlace, 'dataDir' | 'url'>,
  env: Readonly<Record<string, string>> = {},
): Config {
  const url = place.url === undefined ? {} : { HEARTH_DATABASE_URL: place.url };
  return loadConfig({ HEARTH_PORT: '0', HEARTH_DATA_DIR: place.dataDir, HEARTH_LOG_LEVEL: 'error', ...url, ...env });
}

/** Returns a configuration with the secret key of a world. */
export async function loadConfigWithKey(place: TestPlace, { server }: World): Promise<Config> {
  const key = await server.services.secretKey();
  return loadConfigOf(place, { HEARTH_SECRET_KEY: key.export().toString('hex') });
}

export function restoreArchive(config: Config, file: string, migrations?: readonly Migration[]): Promise<Manifest> {
  return restore(config, file, silentProgress, migrations);
}

export type Parts = Map<string, Buffer>;

export async function readArchiveParts(path: string): Promise<Parts> {
  await using file = await open(path);
  const parts: Parts = new Map();
  for await (const entry of readTarEntries(file))
    parts.set(entry.name, await buffer(Readable.from(readContent(file, entry))));
  return parts;
}

/** Writes an archive of these parts, unchanged and in this order. */
export async function writeArchiveOf(parts: Iterable<readonly [string, Buffer]>): Promise<string> {
  const path = join(await scratchDirectory('hearth-archive-'), 'made.tar');
  await using file = await open(path, 'wx+');
  const tar = createTarWriter(file, new Date(0));
  for (const [name, bytes] of parts) await tar.add(name, (write) => write(bytes));
  await tar.end();
  return path;
}

/** Writes an archive of these parts with valid checksums and manifest, as an attacker would. */
export async function writeSealedArchive(parts: Parts, manifestOverrides: Partial<Manifest> = {}): Promise<string> {
  const { sha256: _, ...manifest } = JSON.parse(String(parts.get(MANIFEST)));
  const otherParts = [...parts].filter(([name]) => name !== MANIFEST && name !== SUMS);
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const sums = Buffer.from(otherParts.map(([name, bytes]) => `${digest(bytes)}  ${name}\n`).join(''));
  const bytes = otherParts.reduce((size, [, part]) => size + part.length, 0);
  const sealedManifest = {
    ...manifest,
    parts: { count: otherParts.length, bytes, sha256: digest(sums) },
    ...manifestOverrides,
  };
  return writeArchiveOf([...otherParts, [SUMS, sums], [MANIFEST, Buffer.from(formatManifest(sealedManifest))]]);
}

/** Writes a changed copy of an archive. */
export async function writeDamagedCopy(path: string, damage: (bytes: Buffer) => Buffer): Promise<string> {
  const copy = join(await scratchDirectory('hearth-archive-'), 'damaged.tar');
  await writeFile(copy, damage(await readFile(path)));
  return copy;
}

/** Returns whether the data directory contains only the lock and an earlier key, and the database is empty. */
export async function isUntouched(place: TestPlace): Promise<boolean> {
  const names = await readdir(place.dataDir, { recursive: true });
  const database = await openDatabase({ ...place, dataDir: join(place.dataDir, 'looked-at'), clock: systemClock });
  const snapshot = await openSnapshot(database);
  await snapshot.close();
  await database.close();
  await rm(join(place.dataDir, 'looked-at'), { recursive: true, force: true });
  return (
    names.filter((name) => name !== 'hearth.lock' && name !== 'secret-key').length === 0 && snapshot.tables.length === 0
  );
}

export function assertRestoreFails(archive: string, exitCode: number, place: TestPlace, env = {}): Promise<void> {
  return assert.rejects(restoreArchive(loadConfigOf(place, env), archive), (error: Error & { exitCode?: number }) => {
    assert.equal(error.exitCode, exitCode, error.stack);
    return true;
  });
}
