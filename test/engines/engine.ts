import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Clock, systemClock } from '../../src/clock.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { scratchDirectory } from './scratch.ts';

// Each test file runs once on each engine. `npm test` says which one, and where its PostgreSQL and the migrated templates
// are, with these variables; a file that is run directly has none of them and gets SQLite.

/** The engine of this run. */
export const engine: Database['engine'] = process.env.HEARTH_TEST_ENGINE?.startsWith('postgres')
  ? 'postgres'
  : 'sqlite';

/** Whether each world is two servers on one database, behind one address that deals them the requests in turn. */
export const inPairs = process.env.HEARTH_TEST_ENGINE === 'postgres-pair';

const postgresUrl = process.env.HEARTH_TEST_POSTGRES_URL;
const postgresTemplate = process.env.HEARTH_TEST_POSTGRES_TEMPLATE;
const sqliteTemplate = process.env.HEARTH_TEST_SQLITE_TEMPLATE;

/** A place for one test's server or database, with the settings that lead there. */
export interface TestPlace extends AsyncDisposable {
  readonly dataDir: string;
  /** As in HEARTH_DATABASE_URL: undefined on SQLite. */
  readonly url: string | undefined;
  /** Removes everything; what was opened there is closed before. */
  remove(): Promise<void>;
}

/** A data directory and a migrated, empty database of the engine of this run; `empty`: without any table. */
export async function testPlace({ empty = false } = {}): Promise<TestPlace> {
  const dataDir = await scratchDirectory('hearth-test-');
  const removeDirectory = () => rm(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') {
    if (!empty) await copyFile(await sqliteTemplateFile(), join(dataDir, 'hearth.sqlite3'));
    return { dataDir, url: undefined, remove: removeDirectory, [Symbol.asyncDispose]: removeDirectory };
  }
  const name = `hearth_${randomUUID().replaceAll('-', '')}`;
  const template = empty ? undefined : postgresTemplate;
  await onServer(`create database ${name} ${template ? `template ${template}` : ''}`);
  const url = urlOf(name);
  if (!empty && !template) await migrateAt({ dataDir, url });
  const remove = async () => {
    await onServer(`drop database ${name} with (force)`);
    await removeDirectory();
  };
  return { dataDir, url, remove, [Symbol.asyncDispose]: remove };
}

export interface TestDatabase extends Database, AsyncDisposable {}

/**
 * A migrated, empty database on the engine of this run: `await using database = await testDatabase({ clock })`, or
 * `close()` it, which also removes it.
 */
export async function testDatabase({ clock = systemClock, empty = false }: { clock?: Clock; empty?: boolean } = {}) {
  const place = await testPlace({ empty });
  const database = await openDatabase({ ...place, clock, detectLongTransactions: true });
  const close = async () => {
    await database.close();
    await place.remove();
  };
  return { ...database, close, [Symbol.asyncDispose]: close } satisfies TestDatabase;
}

/** Makes the templates that every test place is copied from. */
export async function makeSqliteTemplate(directory: string): Promise<string> {
  await migrateAt({ dataDir: directory, url: undefined });
  return join(directory, 'hearth.sqlite3');
}

export async function makePostgresTemplate(serverUrl: string, name: string): Promise<void> {
  await onServer(`create database ${name}`, serverUrl);
  await migrateAt({ dataDir: tmpdir(), url: urlOf(name, serverUrl) });
}

let ownTemplate: Promise<string> | undefined;

function sqliteTemplateFile(): Promise<string> {
  if (sqliteTemplate) return Promise.resolve(sqliteTemplate);
  ownTemplate ??= makeOwnTemplate();
  return ownTemplate;
}

async function makeOwnTemplate(): Promise<string> {
  const directory = await scratchDirectory('hearth-template-');
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return makeSqliteTemplate(directory);
}

async function migrateAt(place: { dataDir: string; url: string | undefined }): Promise<void> {
  const database = await openDatabase({ ...place, clock: systemClock });
  await migrate(database);
  await database.close();
}

function urlOf(name: string, serverUrl = postgresUrl): string {
  const url = new URL(serverUrl!);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(sql: string, serverUrl = postgresUrl): Promise<void> {
  if (!serverUrl) throw new Error('HEARTH_TEST_ENGINE=postgres needs HEARTH_TEST_POSTGRES_URL');
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
