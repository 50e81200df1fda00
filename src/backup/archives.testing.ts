import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Config, loadConfig } from '#config.ts';
import { openSnapshot } from '#database/copy.ts';
import { openDatabase } from '#database/database.ts';
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

// Archives of tests: made of a world, taken apart, put together otherwise.

export const silent = createProgress({ write: () => true });

interface Wish {
  /** Else a new one. */
  readonly file?: string;
  readonly withSecretKey?: boolean;
  readonly between?: BetweenSteps;
}

/** A new archive of what these settings lead to. */
export async function archiveOf(config: Config, wish: Wish = {}): Promise<string> {
  const order = { file: join(await scratchDirectory('hearth-archive-'), 'backup.tar'), version: '1.2.3', ...wish };
  await withServerData(config, silent, (kept) => backUp(kept, order));
  return order.file;
}

/** Where nothing is yet: of the engine of this run, or of the embedded one. */
export async function emptyPlace(of = engine): Promise<TestPlace> {
  if (of === engine) return testPlace('empty');
  const dataDir = await scratchDirectory('hearth-test-');
  const remove = async () => {};
  return { dataDir, url: undefined, remove, [Symbol.asyncDispose]: remove };
}

export function configOf(
  place: Pick<TestPlace, 'dataDir' | 'url'>,
  env: Readonly<Record<string, string>> = {},
): Config {
  const url = place.url === undefined ? {} : { HEARTH_DATABASE_URL: place.url };
  return loadConfig({ HEARTH_PORT: '0', HEARTH_DATA_DIR: place.dataDir, HEARTH_LOG_LEVEL: 'error', ...url, ...env });
}

/** The settings of a place that has the key of a world. */
export async function configWithKey(place: TestPlace, { server }: World): Promise<Config> {
  const key = await server.services.secretKey();
  return configOf(place, { HEARTH_SECRET_KEY: key.export().toString('hex') });
}

export function restored(config: Config, file: string): Promise<Manifest> {
  return restore(config, file, silent);
}

export type Parts = Map<string, Buffer>;

export async function partsIn(path: string): Promise<Parts> {
  await using file = await open(path);
  const parts: Parts = new Map();
  for await (const entry of readTarEntries(file))
    parts.set(entry.name, await buffer(Readable.from(readContent(file, entry))));
  return parts;
}

/** An archive of these parts, in their order, as they are. */
export async function archiveWith(parts: Iterable<readonly [string, Buffer]>): Promise<string> {
  const path = join(await scratchDirectory('hearth-archive-'), 'made.tar');
  await using file = await open(path, 'wx+');
  const tar = createTarWriter(file, new Date(0));
  for (const [name, bytes] of parts) await tar.add(name, (write) => write(bytes));
  await tar.end();
  return path;
}

/** The same, with sums and a manifest that fit, as somebody would write them who means harm. */
export async function sealed(parts: Parts, change: Partial<Manifest> = {}): Promise<string> {
  const { sha256: _, ...manifest } = JSON.parse(String(parts.get(MANIFEST)));
  const others = [...parts].filter(([name]) => name !== MANIFEST && name !== SUMS);
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const sums = Buffer.from(others.map(([name, bytes]) => `${digest(bytes)}  ${name}\n`).join(''));
  const bytes = others.reduce((size, [, part]) => size + part.length, 0);
  const whole = { ...manifest, parts: { count: others.length, bytes, sha256: digest(sums) }, ...change };
  return archiveWith([...others, [SUMS, sums], [MANIFEST, Buffer.from(formatManifest(whole))]]);
}

/** A copy of an archive whose bytes were changed. */
export async function damagedCopy(path: string, damage: (bytes: Buffer) => Buffer): Promise<string> {
  const copy = join(await scratchDirectory('hearth-archive-'), 'damaged.tar');
  await writeFile(copy, damage(await readFile(path)));
  return copy;
}

/** Nothing but the lock, and the key that was there before. */
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

export function isFailure(archive: string, exitCode: number, place: TestPlace, env = {}): Promise<void> {
  return assert.rejects(restored(configOf(place, env), archive), (error: Error & { exitCode?: number }) => {
    assert.equal(error.exitCode, exitCode, error.stack);
    return true;
  });
}
