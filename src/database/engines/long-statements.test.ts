import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase, type Reader } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';
import { ClientDisconnected } from '#runtime/concurrency-limiter.ts';
import { engine, testPlace } from '#test/engines/engine.ts';
import { hasSubstringInLongText } from '../search/substring-search.ts';
import { LONG_RUNNING } from './long-statements.ts';

/** A database whose long statements run in the read thread, like those of a large database. */
async function largeDatabase() {
  const place = await testPlace();
  const database = await openDatabase({ ...place, clock: systemClock, largeDatabaseBytes: 0 });
  const close = async () => {
    await database.close();
    await place.remove();
  };
  return { database, [Symbol.asyncDispose]: close };
}

function clientOf(network: string) {
  const controller = new AbortController();
  const client = {
    get isDisconnected() {
      return controller.signal.aborted;
    },
    signal: controller.signal,
    network,
    measureStall: () => 0,
    disconnect: () => controller.abort(),
  };
  return { network, client, disconnect: () => controller.abort() };
}

/** Counts texts of 100,000 characters that contain a part; none does. */
async function scan(db: Reader, texts: number, part = 'x'): Promise<number> {
  const text =
    engine === 'sqlite' ? sql<string>`hex(zeroblob(50000 + i % 2))` : sql<string>`repeat('0', 100000 + i % 2)`;
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(texts)})`;
  const found = hasSubstringInLongText(db, text, part);
  const { rows } = await sql<{ count: number }>`${numbers} select count(*) as count from n where ${found}`.execute(db);
  return rows[0]!.count;
}

async function list(db: Reader, most: number): Promise<number> {
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(most)})`;
  const { rows } = await sql<{ count: number }>`${numbers} select count(*) as count from n ${LONG_RUNNING}`.execute(db);
  return rows[0]!.count;
}

/** More texts than any machine scans before the timeout of a statement. */
const ENDLESS = 100_000_000;

test('lists do not wait for searches in texts', async () => {
  await using given = await largeDatabase();
  const searcher = clientOf('192.0.2.1');
  const { reader } = given.database.forClient(searcher);
  const searches = Array.from({ length: 20 }, (_, at) => scan(reader, ENDLESS, `x${at}`));
  const ended = Promise.allSettled(searches);
  assert.equal(await list(given.database.forClient(clientOf('192.0.2.1')).reader, 1000), 1000);
  assert.equal(await list(given.database.forClient(clientOf('192.0.2.2')).forRequest().reader, 1001), 1001);
  searcher.disconnect();
  for (const { status } of await ended) assert.equal(status, 'rejected');
});

test('networks take turns with their searches', async () => {
  await using given = await largeDatabase();
  const unfinished = new Set<number>();
  // So many that a thread can start meanwhile, even on a busy machine.
  const searches = Array.from({ length: 60 }, async (_, at) => {
    unfinished.add(at);
    await scan(given.database.forClient(clientOf('192.0.2.1')).forRequest().reader, 20, `x${at}`);
    unfinished.delete(at);
  });
  await scan(given.database.forClient(clientOf('192.0.2.2')).forRequest().reader, 20, 'y');
  const { size } = unfinished;
  await Promise.all(searches);
  assert.ok(size > 6, `${size} of 60 searches of the other network were unfinished`);
});

test('the search of a client that disconnects is interrupted, and the next one is served', async () => {
  await using given = await largeDatabase();
  const gone = clientOf('192.0.2.1');
  const running = scan(given.database.forClient(gone).forRequest().reader, ENDLESS);
  const waiting = [1, 2, 3].map(() => scan(given.database.forClient(gone).forRequest().reader, ENDLESS));
  const rejected = [running, ...waiting].map((search) => assert.rejects(search, ClientDisconnected));
  await list(given.database.reader, 100);
  gone.disconnect();
  await Promise.all(rejected);
  assert.equal(await scan(given.database.forClient(clientOf('192.0.2.1')).forRequest().reader, 10), 0);
  if (engine === 'sqlite') return;
  const active = sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`;
  assert.deepEqual((await active.execute(given.database.reader)).rows, [{ count: 0 }]);
});

test('interrupts the search of a client that disconnects although no connection is free', async () => {
  if (engine === 'sqlite') return;
  const place = await testPlace();
  const open = (connections: number) => openDatabase({ ...place, clock: systemClock, connections });
  const [database, observer] = [await open(1), await open(1)];
  const gone = clientOf('192.0.2.1');
  const interrupted = assert.rejects(scan(database.forClient(gone).reader, ENDLESS), ClientDisconnected);
  const active = sql`select pid from pg_stat_activity
    where datname = current_database() and state = 'active' and query like 'with recursive%'`;
  while ((await active.execute(observer.reader)).rows.length === 0);
  gone.disconnect();
  assert.equal(await list(database.reader, 10), 10);
  await interrupted;
  await database.close();
  await observer.close();
  await place.remove();
});
