import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '#runtime/clock.ts';
import { fail } from '#runtime/failure.ts';
import { engine, testDatabase, testPlace } from '#test/engines/engine.ts';
import { nextCounterValue } from '#test/support/counters.ts';
import { getViolatedUniqueIndex } from './constraint-violations.ts';
import { openDatabase, type Reader, type Transaction } from './database.ts';

function counters(db: Reader) {
  return db.selectFrom('counters').select(['name', 'value']).orderBy('name').execute();
}

function add(tx: Transaction, name: string, value = 1) {
  return tx.insertInto('counters').values({ name, value }).execute();
}

test('commits the writes of a transaction and returns its value', async () => {
  await using database = await testDatabase();
  const value = await database.transaction(async (tx) => {
    await add(tx, 'a', 7);
    return (await counters(tx)).length;
  });
  assert.equal(value, 1);
  assert.deepEqual(await counters(database.reader), [{ name: 'a', value: 7 }]);
});

test('rolls back a transaction that throws, and does not run its after-commit actions', async () => {
  await using database = await testDatabase();
  let told = false;
  const broken = database.transaction(async (tx) => {
    await add(tx, 'a');
    tx.afterCommit(() => {
      told = true;
    });
    throw new Error('changed my mind');
  });
  await assert.rejects(broken, { message: 'changed my mind' });
  assert.deepEqual(await counters(database.reader), []);
  assert.equal(told, false);
});

test('rolls back and returns a failure', async () => {
  await using database = await testDatabase();
  const answer = await database.transaction(async (tx) => {
    await add(tx, 'a');
    return fail('taken', { name: 'a' });
  });
  assert.equal(answer.code, 'taken');
  assert.deepEqual(await counters(database.reader), []);
});

test('a failed statement ends the transaction even if its error is caught', async () => {
  await using database = await testDatabase();
  const swallowing = database.transaction(async (tx) => {
    await add(tx, 'a');
    await add(tx, 'a').catch(() => {});
    return 'done';
  });
  await assert.rejects(swallowing, (error) => getViolatedUniqueIndex(error) === 'counters_pkey');
  const goingOn = database.transaction(async (tx) => {
    await add(tx, 'a');
    await add(tx, 'a').catch(() => {});
    await add(tx, 'b');
  });
  await assert.rejects(goingOn, { message: 'An earlier statement of this transaction failed' });
  assert.deepEqual(await counters(database.reader), []);
});

test('a failed statement can become a failure, and the next transaction is unaffected', async () => {
  await using database = await testDatabase();
  await database.transaction((tx) => add(tx, 'a'));
  const answer = await database.transaction(async (tx) => {
    try {
      await add(tx, 'a');
    } catch (error) {
      if (getViolatedUniqueIndex(error) !== null) return fail('taken');
      throw error;
    }
  });
  assert.equal(answer?.code, 'taken');
  await database.transaction((tx) => add(tx, 'b'));
  assert.equal((await counters(database.reader)).length, 2);
});

test('retries a transaction after a declared unique violation, without the writes of its first run', async () => {
  await using database = await testDatabase();
  await database.transaction((tx) => add(tx, 'a'));
  const names = ['a', 'b'];
  const adding = async (tx: Transaction) => {
    const name = names.shift() as string;
    await add(tx, `with ${name}`);
    await add(tx, name);
  };
  await database.transaction(adding, { retryOnUniqueViolation: ['counters_pkey'] });
  assert.deepEqual(await counters(database.reader), [
    { name: 'a', value: 1 },
    { name: 'b', value: 1 },
    { name: 'with b', value: 1 },
  ]);
  names.push('a');
  const other = database.transaction(adding, { retryOnUniqueViolation: ['counters_by_other'] });
  await assert.rejects(other, (error) => getViolatedUniqueIndex(error) === 'counters_pkey');
});

test('rejects a handle used after its transaction', async () => {
  await using database = await testDatabase();
  let kept: Transaction | undefined;
  await database.transaction(async (tx) => {
    kept = tx;
  });
  await assert.rejects(add(kept!, 'a'), /The transaction has ended/);
  await assert.rejects(counters(kept!), /The transaction has ended/);
});

test('after-commit actions see the committed rows, and one that throws does not affect the others', async () => {
  const failures: unknown[] = [];
  await using place = await testPlace();
  const log = { error: (details: object) => failures.push(details) };
  const database = await openDatabase({ ...place, clock: systemClock, log });
  let seen: Promise<unknown> | undefined;
  await database.transaction(async (tx) => {
    await add(tx, 'a');
    tx.afterCommit(() => {
      throw new Error('cache trouble');
    });
    tx.afterCommit(() => {
      seen = counters(database.reader);
    });
  });
  assert.deepEqual(await seen, [{ name: 'a', value: 1 }]);
  assert.equal(failures.length, 1);
  await database.close();
});

test('a transaction reads its own writes while readers see the state before it', async () => {
  await using database = await testDatabase();
  await database.transaction(async (tx) => {
    await add(tx, 'a');
    assert.equal((await counters(tx)).length, 1);
    if (engine === 'sqlite') assert.equal((await counters(database.reader)).length, 0);
  });
});

test('the timestamp of a transaction is constant and comes from the clock', async () => {
  await using database = await testDatabase({ clock: { now: () => new Date('2026-03-04T05:06:07.089Z') } });
  assert.equal(await database.transaction(async (tx) => tx.now), '2026-03-04T05:06:07.089Z');
});

test('many concurrent transactions on one row all succeed without lost updates', async () => {
  await using database = await testDatabase();
  const values = await Promise.all(
    Array.from({ length: 40 }, () => database.transaction((tx) => nextCounterValue(tx, 'feed'))),
  );
  assert.deepEqual(
    values.sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
});

test('transactions with the same lock key never conflict, even across processes', async () => {
  await using place = await testPlace();
  const options = { ...place, clock: systemClock };
  const both = await Promise.all([openDatabase(options), openDatabase(options)]);
  let runs = 0;
  const raise = (tx: Transaction) => {
    runs++;
    return nextCounterValue(tx, 'feed');
  };
  const turns = Array.from({ length: 30 }, (_, i) => both[i % 2]!.transaction(raise, { lock: 'feed' }));
  assert.equal(new Set(await Promise.all(turns)).size, 30);
  assert.equal(runs, 30);
  await Promise.all(both.map((database) => database.close()));
});

test('many concurrent transactions that read rows written by the others all succeed', async () => {
  await using database = await testDatabase();
  const values = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      database.transaction(async (tx) => {
        await counters(tx);
        await add(tx, `own ${i}`);
        return nextCounterValue(tx, 'feed');
      }),
    ),
  );
  assert.equal(new Set(values).size, 40);
  assert.equal((await counters(database.reader)).length, 41);
});

test('prevents write skew between two transactions that read rows written by the other', async () => {
  await using database = await testDatabase();
  await database.transaction(async (tx) => {
    await add(tx, 'anna', 1);
    await add(tx, 'ben', 1);
  });
  const leave = (name: string) =>
    database.transaction(async (tx) => {
      const onCall = (await counters(tx)).filter(({ value }) => value === 1).length;
      if (onCall < 2) return fail('lastOne');
      await tx.updateTable('counters').set({ value: 0 }).where('name', '=', name).execute();
      return undefined;
    });
  const answers = await Promise.all([leave('anna'), leave('ben')]);
  assert.equal(answers.filter((answer) => answer === undefined).length, 1);
});

test('the engine rejects a write through a reader', async () => {
  await using database = await testDatabase();
  const { reader } = database;
  await assert.rejects(sql`insert into counters (name, value) values ('a', 1)`.execute(reader), /read-?only/);
  await assert.rejects(sql`update counters set value = 2`.execute(reader), /read-?only/);
  assert.deepEqual(await counters(database.reader), []);
});

test('a transaction that waits for something other than SQL fails in tests', {
  skip: engine !== 'sqlite',
}, async () => {
  await using database = await testDatabase();
  const slow = database.transaction(async (tx) => {
    await add(tx, 'a');
    await new Promise((resolve) => setTimeout(resolve, 1));
  });
  await assert.rejects(slow, /still open at the next macrotask/);
  assert.deepEqual(await counters(database.reader), []);
});

test('a transaction that waits while another one yields also fails in tests', {
  skip: engine !== 'sqlite',
}, async () => {
  await using database = await testDatabase();
  // On a slow machine its own statement yields, which permits one wait; so it waits several times.
  const waiting = async () => {
    for (let turn = 0; turn < 3; turn++) {
      for (const began = performance.now(); performance.now() - began < 11; );
      await Promise.all([counters(database.reader), new Promise((resolve) => setImmediate(resolve))]);
    }
  };
  let waited: Promise<void> | undefined;
  const slow = database.transaction(async (tx) => {
    await add(tx, 'a');
    waited = waiting();
    await waited;
  });
  await assert.rejects(slow, /still open at the next macrotask/);
  await waited;
});

test('a long transaction yields between statements, and others do not see its writes', async () => {
  await using database = await testDatabase();
  const seen: number[] = [];
  let open = true;
  const look = async (): Promise<void> => {
    const { length } = await counters(database.reader);
    // A statement sent before the commit may return after it.
    if (!open) return;
    seen.push(length);
    await new Promise((resolve) => setImmediate(resolve));
    return look();
  };
  const looking = look();
  await database.transaction(async (tx) => {
    for (const name of 'abcdefgh') {
      await add(tx, name);
      for (const began = performance.now(); performance.now() - began < 11; );
    }
    open = false;
  });
  await looking;
  assert.ok(seen.length >= 3, `others had ${seen.length} turns`);
  assert.deepEqual(new Set(seen), new Set([0]));
  assert.equal((await counters(database.reader)).length, 8);
});

test('many reads of one request yield to other requests', async () => {
  await using database = await testDatabase();
  let turns = 0;
  const look = () => {
    turns++;
    next = setImmediate(look);
  };
  let next = setImmediate(look);
  for (const name of ['a', 'b', 'c', 'd']) {
    await database.reader.selectFrom('counters').select('value').where('name', '=', name).execute();
    for (const began = performance.now(); performance.now() - began < 11; );
  }
  clearImmediate(next);
  assert.ok(turns >= 3, `others had ${turns} turns`);
});

test('waits for a writer of another process', { skip: engine !== 'sqlite' }, async () => {
  await using place = await testPlace();
  const server = await openDatabase({ ...place, clock: systemClock });
  const command = await openDatabase({ ...place, clock: systemClock });
  const { promise: commandMayEnd, resolve: endCommand } = Promise.withResolvers<void>();
  const { promise: commandBegan, resolve: tellBegan } = Promise.withResolvers<void>();
  const slow = command.transaction(async (tx) => {
    await add(tx, 'command');
    tellBegan();
    await commandMayEnd;
  });
  await commandBegan;
  const waiting = server.transaction((tx) => add(tx, 'server'));
  setImmediate(endCommand);
  await Promise.all([slow, waiting]);
  assert.equal((await counters(server.reader)).length, 2);
  await Promise.all([server.close(), command.close()]);
});

test('PostgreSQL applies the time limit to reads and not to transactions', {
  skip: engine === 'sqlite',
}, async () => {
  const place = await testPlace();
  const database = await openDatabase({ ...place, clock: systemClock, connections: 1 });
  const patience = async (db: Reader) => {
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db);
    return rows[0]!.statement_timeout;
  };
  assert.equal(await patience(database.reader), '30s');
  assert.equal(await database.transaction(patience), '0');
  assert.equal(await database.transaction(patience, { lock: 'one' }), '0');
  assert.equal(await patience(database.reader), '30s');
  const cut = database.transaction(async (tx) => {
    await sql`set local statement_timeout = 10`.execute(tx);
    await sql`select pg_sleep(5)`.execute(tx);
  });
  await assert.rejects(cut, { name: 'DatabaseUnavailable' });
  await database.close();
  await place.remove();
});
