// The baseline of ingestion, as a separate process: bare Fastify, and one prepared INSERT per body that is durable before
// the response, on another database with the settings of the server's. Prints its address.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';
import pg from 'pg';

const [dataDir = '.', url] = process.argv.slice(2);

const TABLE =
  'create table if not exists intake_floor (id integer primary key, title text, payload text, created_at text)';
const INSERT = 'insert into intake_floor (title, payload, created_at) values';

type Insert = (title: string, payload: string, createdAt: string) => unknown;

function onSqlite(): Insert {
  const database = new DatabaseSync(join(dataDir, 'floor.sqlite3'));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${TABLE}`);
  const insert = database.prepare(`${INSERT} (?, ?, ?)`);
  return (...values) => insert.run(...values);
}

async function onPostgres(connectionString: string): Promise<Insert> {
  const pool = new pg.Pool({ connectionString });
  await pool.query(TABLE.replace('integer primary key', 'bigint generated always as identity primary key'));
  return (...values) => pool.query({ name: 'insert', text: `${INSERT} ($1, $2, $3)`, values });
}

const insert = url === undefined ? onSqlite() : await onPostgres(url);
const fastify = Fastify({ logger: false });
fastify.addContentTypeParser('application/x-sentry-envelope', { parseAs: 'string' }, (_request, body, done) => {
  // The event is the third line.
  done(null, JSON.parse(String(body).split('\n', 3)[2] ?? '{}'));
});
fastify.post('/insert', async (request) => {
  const body = request.body as { readonly title?: string };
  await insert(String(body.title), JSON.stringify(body), new Date().toISOString());
  return {};
});
process.stdout.write(`${await fastify.listen({ port: 0 })}\n`);
