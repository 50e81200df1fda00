import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { bootstrapUsers } from '#authentication/users/bootstrap.ts';
import { type Database, openDatabase } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { testClock } from '../support/test-clock.ts';
import { scratchDirectory } from './scratch.ts';

// Each test file runs once on each engine. `npm test` says which one, and where its PostgreSQL and the templates are, with
// these variables; a file that is run directly has none of them and gets SQLite.

/** The engine of this run. */
export const engine: Database['engine'] = process.env.HEARTH_TEST_ENGINE?.startsWith('postgres')
  ? 'postgres'
  : 'sqlite';

/** Whether each world has two servers on one database, behind a load balancer. */
export const inPairs = process.env.HEARTH_TEST_ENGINE === 'postgres-pair';

const postgresUrl = process.env.HEARTH_TEST_POSTGRES_URL;
const sqliteTemplates = process.env.HEARTH_TEST_SQLITE_TEMPLATES;

/** The credentials of `root` in a database after the first start. */
export const ROOT = { token: 'glpat-test-root-token-0001', password: 'correct-horse-battery' } as const;

/** The content of a new database: no tables, all tables, or also the rows of the first start. */
export type Contents = 'empty' | 'migrated' | 'started';

/** The template databases that each test copies. */
const TEMPLATES = ['migrated', 'started'] as const satisfies Contents[];
type Template = (typeof TEMPLATES)[number];

/** The data directory and database of one test's server. */
export interface TestPlace extends AsyncDisposable {
  readonly dataDir: string;
  /** As in HEARTH_DATABASE_URL: undefined on SQLite. */
  readonly url: string | undefined;
  /** Deletes everything. Close the server or database before. */
  remove(): Promise<void>;
}

/** A data directory and a database of the engine of this run. */
export async function testPlace(contents: Contents = 'migrated'): Promise<TestPlace> {
  const dataDir = await scratchDirectory('hearth-test-');
  const removeDirectory = () => rm(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') {
    if (contents !== 'empty') await copyFile(await sqliteTemplate(contents), sqliteFile(dataDir));
    return { dataDir, url: undefined, remove: removeDirectory, [Symbol.asyncDispose]: removeDirectory };
  }
  const name = `hearth_${randomUUID().replaceAll('-', '')}`;
  // Copying the files costs a third of writing them into the log too, 9 ms of the processor instead of 25.
  const copy = contents === 'empty' ? '' : `template ${postgresTemplate(contents)} strategy file_copy`;
  await onServer(`create database ${name} ${copy}`);
  const remove = async () => {
    await onServer(`drop database ${name} with (force)`);
    await removeDirectory();
  };
  return { dataDir, url: urlOf(name), remove, [Symbol.asyncDispose]: remove };
}

export interface TestDatabase extends Database, AsyncDisposable {}

/**
 * A migrated, empty database on the engine of this run: `await using database = await testDatabase({ clock })`, or
 * `close()` it, which also removes it.
 */
export async function testDatabase({ clock = systemClock, empty = false }: { clock?: Clock; empty?: boolean } = {}) {
  const place = await testPlace(empty ? 'empty' : 'migrated');
  const database = await openDatabase({ ...place, clock, detectLongTransactions: true });
  const close = async () => {
    await database.close();
    await place.remove();
  };
  return { ...database, close, [Symbol.asyncDispose]: close } satisfies TestDatabase;
}

/** Makes the templates in this directory. */
export async function makeSqliteTemplates(directory: string): Promise<void> {
  for (const template of TEMPLATES) await makeSqliteTemplate(join(directory, template), template);
}

async function makeSqliteTemplate(dataDir: string, template: Template): Promise<string> {
  await mkdir(dataDir);
  await fill({ dataDir, url: undefined }, template);
  return sqliteFile(dataDir);
}

/** Makes the templates on this server. */
export async function makePostgresTemplates(serverUrl: string): Promise<void> {
  for (const template of TEMPLATES) {
    await onServer(`create database ${postgresTemplate(template)}`, serverUrl);
    await fill({ dataDir: tmpdir(), url: urlOf(postgresTemplate(template), serverUrl) }, template);
  }
}

function postgresTemplate(template: Template): string {
  return `hearth_${template}`;
}

function sqliteFile(dataDir: string): string {
  return join(dataDir, 'hearth.sqlite3');
}

const ownTemplates = new Map<Template, Promise<string>>();

function sqliteTemplate(template: Template): Promise<string> {
  if (sqliteTemplates) return Promise.resolve(sqliteFile(join(sqliteTemplates, template)));
  let made = ownTemplates.get(template);
  if (made === undefined) {
    made = makeOwnTemplate(template);
    ownTemplates.set(template, made);
  }
  return made;
}

async function makeOwnTemplate(template: Template): Promise<string> {
  const directory = await scratchDirectory('hearth-template-');
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return makeSqliteTemplate(join(directory, template), template);
}

async function fill(place: { dataDir: string; url: string | undefined }, template: Template): Promise<void> {
  const database = await openDatabase({ ...place, clock: testClock() });
  await migrate(database);
  if (template === 'started') await startFirst(database, place.dataDir);
  await database.close();
}

/** Performs the first start as the server does; hashing the password takes most of its time. */
async function startFirst(database: Database, dataDir: string): Promise<void> {
  await bootstrapUsers({
    database,
    config: { rootPassword: ROOT.password, rootToken: ROOT.token, allowLocalRequests: false, dataDir },
    log: { info() {} },
    afterCreate: async (tx, user) => void (await createPersonalNamespace(tx, user)),
  });
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
