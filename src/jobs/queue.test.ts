import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, openDatabase } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { timestamp } from '#runtime/clock.ts';
import { engine, testDatabase, testPlace } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import { defineJob, enqueue } from './job.ts';
import { createJobQueue, getJobRetryDelayMs, type JobQueueOptions } from './queue.ts';
import {
  buildClaimQuery,
  claimJobs,
  deleteJob,
  findDueJob,
  findDueSuspect,
  findExpiredLease,
  releaseAbandonedLeases,
} from './store.ts';

interface Services {
  readonly heard: string[];
}

const say = defineJob({
  kind: 'say',
  async handle(services: Services, payload: { word: string }) {
    services.heard.push(payload.word);
  },
});

const fail = defineJob({
  kind: 'fail',
  maxAttempts: 3,
  async handle(services: Services, payload: { word: string }, run) {
    services.heard.push(`${payload.word}${run.attempt}`);
    throw new Error(`secret ${payload.word}`);
  },
  async onDead(tx, { word }) {
    await tx.insertInto('schedules').values({ name: word, cron: '* * * * *', next_run_at: tx.now }).execute();
  },
});

async function setting(options: Partial<JobQueueOptions<Services>> = {}) {
  const clock = testClock();
  const database = await testDatabase({ clock });
  const services: Services = { heard: [] };
  const queue = createJobQueue({ database, clock, services, jobs: [say, fail], ...options });
  const add = (word: string, extra: { runAt?: string; key?: string } = {}) =>
    database.transaction((tx) => enqueue(tx, say, { word }, extra));
  return { clock, database, services, queue, add, [Symbol.asyncDispose]: () => database.close() };
}

type Fixture = Awaited<ReturnType<typeof setting>>;

function listDeadJobs(database: Database) {
  return database.reader.selectFrom('background_jobs').selectAll().where('state', '=', 'dead').execute();
}

/** Returns what the failing jobs have stored when they were given up. */
async function givenUp(database: Database): Promise<string[]> {
  const rows = await database.reader.selectFrom('schedules').select('name').execute();
  return rows.map(({ name }) => name);
}

function jobs(database: Database) {
  return database.reader.selectFrom('background_jobs').selectAll().orderBy('id').execute();
}

test('runs jobs added in a transaction once after the commit, in order, and deletes them', async () => {
  await using s = await setting();
  await s.add('one');
  await s.add('two');
  assert.equal(await s.queue.runDue(), 2);
  assert.deepEqual(s.services.heard, ['one', 'two']);
  assert.equal(await s.queue.runDue(), 0);
  assert.deepEqual(await jobs(s.database), []);
});

test('never runs jobs of a rolled-back transaction', async () => {
  await using s = await setting();
  const broken = s.database.transaction(async (tx) => {
    await enqueue(tx, say, { word: 'no' });
    throw new Error('back');
  });
  await assert.rejects(broken, { message: 'back' });
  assert.equal(await s.queue.runDue(), 0);
});

test('runs a delayed job at its time', async () => {
  await using s = await setting();
  await s.add('later', { runAt: '2026-01-02T03:05:05.000Z' });
  assert.equal(await s.queue.runDue(), 0);
  s.clock.advance(60);
  assert.equal(await s.queue.runDue(), 1);
});

test('retries a failed job with growing delays, then keeps a dead letter with a redacted error', async () => {
  await using s = await setting({ redact: (text) => text.replaceAll('secret', '[x]') });
  await s.database.transaction((tx) => enqueue(tx, fail, { word: 'f' }));
  assert.equal(await s.queue.runDue(), 1);
  assert.equal(await s.queue.runDue(), 0);
  s.clock.advance(getJobRetryDelayMs(1) / 1000 - 1);
  assert.equal(await s.queue.runDue(), 0);
  s.clock.advance(1);
  assert.equal(await s.queue.runDue(), 1);
  s.clock.advance(getJobRetryDelayMs(2) / 1000);
  assert.deepEqual(await givenUp(s.database), []);
  assert.equal(await s.queue.runDue(), 1);
  assert.deepEqual(await givenUp(s.database), ['f']);
  s.clock.advance(100_000);
  assert.equal(await s.queue.runDue(), 0);
  assert.deepEqual(s.services.heard, ['f1', 'f2', 'f3']);
  const items = await listDeadJobs(s.database);
  assert.deepEqual(
    items.map(({ kind, attempts, last_error }) => ({ kind, attempts, last_error })),
    [{ kind: 'fail', attempts: 3, last_error: 'Error: [x] f' }],
  );
});

test('doubles the delay from ten seconds on, up to an hour', () => {
  assert.deepEqual([1, 2, 9, 10, 100].map(getJobRetryDelayMs), [10_000, 20_000, 2_560_000, 3_600_000, 3_600_000]);
});

test('adds a keyed job once while it waits, at the earlier time', async () => {
  await using s = await setting();
  await s.add('first', { key: 'k', runAt: '2027-01-01T00:00:00.000Z' });
  await s.add('second', { key: 'k' });
  await s.add('third', { key: 'k', runAt: '2028-01-01T00:00:00.000Z' });
  await s.add('other', { key: 'l' });
  assert.equal(await s.queue.runDue(), 2);
  assert.deepEqual(s.services.heard.toSorted(), ['first', 'other']);
});

test('runs a keyed job after the running job with the same key, not concurrently', async () => {
  let inside = 0;
  let most = 0;
  const again = defineJob({
    kind: 'again',
    async handle({ database }: { database: Database }, { depth }: { depth: number }) {
      most = Math.max(most, ++inside);
      if (depth > 0) await database.transaction((tx) => enqueue(tx, again, { depth: depth - 1 }, { key: 'k' }));
      await new Promise(setImmediate);
      inside--;
    },
  });
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const queue = createJobQueue({ database, clock, services: { database }, jobs: [again] });
  await database.transaction((tx) => enqueue(tx, again, { depth: 2 }, { key: 'k' }));
  assert.equal(await queue.runDue(), 3);
  assert.equal(most, 1);
});

test('claims no job with the key of a running job of its kind', async () => {
  await using s = await setting();
  const claim = async () => {
    const order = { owner: 'a', leaseUntil: '2027-01-01T00:00:00.000Z', kinds: ['say'], limit: 9 };
    return s.database.transaction((tx) => claimJobs(tx, order));
  };
  const wordsOf = (claimed: Awaited<ReturnType<typeof claim>>) =>
    claimed.map(({ payload }) => JSON.parse(payload).word);
  await s.add('first', { key: 'k' });
  const [first] = await claim();
  await s.add('second', { key: 'k' });
  await s.add('other', { key: 'l' });
  assert.deepEqual(wordsOf(await claim()), ['other']);
  await s.database.transaction((tx) => deleteJob(tx, 'a', first!.id));
  assert.deepEqual(wordsOf(await claim()), ['second']);
});

test('a failed keyed job is replaced by an equal one added while it ran', async () => {
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const repeat = defineJob({
    kind: 'repeat',
    async handle(_rooms: null, { word }: { word: string }) {
      if (word === 'old') {
        await database.transaction((tx) => enqueue(tx, repeat, { word: 'new' }, { key: 'k' }));
        throw new Error('failed');
      }
    },
  });
  const queue = createJobQueue({ database, clock, services: null, jobs: [repeat] });
  await database.transaction((tx) => enqueue(tx, repeat, { word: 'old' }, { key: 'k' }));
  assert.equal(await queue.runDue(), 2);
  assert.deepEqual(await jobs(database), []);
});

test('does not touch jobs of unknown kinds', async () => {
  await using s = await setting({ jobs: [fail] });
  await s.add('for another version');
  assert.equal(await s.queue.runDue(), 0);
  const [job] = await jobs(s.database);
  assert.deepEqual([job!.kind, job!.attempts, job!.state], ['say', 0, 'pending']);
});

test('rejects two job definitions with one name', async () => {
  await assert.rejects(setting({ jobs: [say, { ...fail, kind: 'say' }] }), {
    message: 'Two job definitions have the kind say: rename one',
  });
});

test('another process runs the jobs of a dead process after their lease expires', async () => {
  await using s = await setting();
  await s.add('orphan');
  const leaseUntil = '2026-01-02T03:05:05.000Z';
  const claim = { owner: 'dead process', leaseUntil, kinds: ['say'], limit: 1 };
  assert.equal((await s.database.transaction((tx) => claimJobs(tx, claim))).length, 1);
  assert.equal(await s.queue.runDue(), 0);
  s.clock.advance(61);
  assert.equal(await s.queue.runDue(), 1);
  assert.deepEqual(s.services.heard, ['orphan']);
});

test('a sole process resumes the jobs of a dead one at once, without duplicating keyed jobs', async () => {
  await using s = await setting({ isOnlyProcess: true });
  for (const key of ['a', 'b']) await s.add(key, { key });
  const leaseUntil = '2026-01-02T03:05:05.000Z';
  const claim = { owner: 'dead process', leaseUntil, kinds: ['say'], limit: 2 };
  assert.equal((await s.database.transaction((tx) => claimJobs(tx, claim))).length, 2);
  await s.add('b again', { key: 'b' });
  const done = Promise.withResolvers<void>();
  s.queue.afterBatch(({ jobCount: ran }) => ran > 0 && done.resolve());
  await s.queue.start();
  await done.promise;
  await s.queue.stop();
  assert.deepEqual(s.services.heard, ['a', 'b again']);
});

test('gives up a job that kills its process every time', async () => {
  await using s = await setting();
  await s.database.transaction((tx) => enqueue(tx, fail, { word: 'poison' }));
  for (let deaths = 0; deaths < 2; deaths++) await dieDuring(s, 'fail', { suspects: deaths > 0 });
  await s.queue.runDue();
  assert.deepEqual([s.services.heard, await givenUp(s.database)], [[], ['poison']]);
  const [dead] = await listDeadJobs(s.database);
  assert.equal(dead!.last_error, 'ProcessDied: The server process died 2 times while this job was running');
});

/** Claims the due jobs of a kind as a process does that dies while it runs them. */
async function dieDuring({ database, clock }: Fixture, kind: string, { suspects }: { suspects: boolean }) {
  const claim = { owner: 'dying', leaseUntil: timestamp(clock), kinds: [kind], limit: 9 };
  await database.transaction(async (tx) => {
    assert.ok((await claimJobs(tx, suspects ? { ...claim, onlySuspects: suspects } : claim)).length > 0);
    await releaseAbandonedLeases(tx);
  });
}

test('runs jobs during which a process died one at a time, and others at once', async () => {
  const running = new Set<string>();
  const together: string[][] = [];
  const note = defineJob({
    kind: 'note',
    async handle(_services: Services, { word }: { word: string }) {
      running.add(word);
      together.push([...running].sort());
      await new Promise(setImmediate);
      running.delete(word);
    },
  });
  await using s = await setting({ jobs: [note] });
  const enqueueAll = (words: string[]) =>
    s.database.transaction(async (tx) => {
      for (const word of words) await enqueue(tx, note, { word });
    });
  await enqueueAll(['suspect 1', 'suspect 2', 'suspect 3']);
  await dieDuring(s, 'note', { suspects: false });
  await enqueueAll(['new 1', 'new 2']);
  assert.equal(await s.queue.runDue(), 5);
  assert.deepEqual(
    together.filter((names) => names.filter((name) => name.startsWith('suspect')).length > 1),
    [],
  );
  assert.ok(together.some((names) => names.includes('new 1') && names.includes('new 2')));
});

test('a job that was enqueued again while its process died keeps the count of deaths', async () => {
  await using s = await setting();
  await s.add('first', { key: 'k' });
  for (let deaths = 0; deaths < 2; deaths++) {
    const claim = { owner: 'dying', leaseUntil: timestamp(s.clock), kinds: ['say'], limit: 9 };
    await s.database.transaction((tx) => claimJobs(tx, deaths > 0 ? { ...claim, onlySuspects: true } : claim));
    await s.add('again', { key: 'k' });
    await s.database.transaction((tx) => releaseAbandonedLeases(tx));
  }
  await s.queue.runDue();
  const items = await listDeadJobs(s.database);
  assert.deepEqual([s.services.heard, items.length], [[], 1]);
});

test('a process that lost the lease does not delete the job of the new owner', async () => {
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const slow = defineJob({
    kind: 'slow',
    async handle() {
      clock.advance(100);
      const claim = { owner: 'other', leaseUntil: '2027-01-01T00:00:00.000Z', kinds: ['slow'], limit: 1 };
      await database.transaction(async (tx) => {
        await releaseAbandonedLeases(tx, { now: tx.now, exceptOwner: 'other' });
        assert.equal((await claimJobs(tx, { ...claim, onlySuspects: true })).length, 1);
      });
    },
  });
  const queue = createJobQueue({ database, clock, services: null, jobs: [slow] });
  await database.transaction((tx) => enqueue(tx, slow, {}));
  assert.equal(await queue.runDue(), 1);
  const [job] = await jobs(database);
  assert.deepEqual([job!.lease_owner, job!.attempts], ['other', 2]);
});

test('a started queue runs jobs after the commit and reports when the batch is done', async (t) => {
  // Without the timer it would look only once, at the start.
  t.mock.timers.enable({ apis: ['setInterval'] });
  await using s = await setting();
  const batches: number[] = [];
  const { promise: emptied, resolve: tellEmptied } = Promise.withResolvers<void>();
  const { promise: worked, resolve: tellWorked } = Promise.withResolvers<void>();
  s.queue.afterBatch(({ jobCount: ran }) => {
    batches.push(ran);
    if (ran === 0) tellEmptied();
    else tellWorked();
  });
  await s.queue.start();
  await emptied;
  await s.database.transaction(async (tx) => {
    for (let i = 0; i < 10; i++) await enqueue(tx, say, { word: `w${i}` });
  });
  await worked;
  await s.queue.stop();
  assert.equal(s.services.heard.length, 10);
  assert.ok(batches.includes(10));
});

test('a started queue polls for jobs of other processes', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  await using s = await setting();
  await s.queue.start();
  const { promise: worked, resolve } = Promise.withResolvers<void>();
  const { promise: emptied, resolve: tellEmptied } = Promise.withResolvers<void>();
  s.queue.afterBatch(({ jobCount: ran }) => (ran > 0 ? resolve() : tellEmptied()));
  await emptied;
  await s.database.transaction((tx) =>
    tx
      .insertInto('background_jobs')
      .values({ kind: 'say', payload: '{"word":"elsewhere"}', run_at: tx.now, created_at: tx.now })
      .execute(),
  );
  t.mock.timers.tick(1_000);
  await worked;
  await s.queue.stop();
  assert.deepEqual(s.services.heard, ['elsewhere']);
});

test('extends the leases of running jobs', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const { promise: began, resolve: tellBegan } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const long = defineJob({
    kind: 'long',
    async handle() {
      tellBegan();
      await mayEnd;
    },
  });
  const queue = createJobQueue({ database, clock, services: null, jobs: [long] });
  await database.transaction((tx) => enqueue(tx, long, {}));
  await queue.start();
  await began;
  const leaseBefore = (await jobs(database))[0]!.lease_until!;
  clock.advance(20);
  t.mock.timers.tick(20_000);
  for (let leaseNow = leaseBefore; leaseNow === leaseBefore; ) {
    await new Promise(setImmediate);
    leaseNow = (await jobs(database))[0]!.lease_until!;
  }
  end();
  await queue.stop();
  assert.deepEqual(await jobs(database), []);
});

test('limits the number of concurrent jobs', async () => {
  let inside = 0;
  let most = 0;
  const busy = defineJob({
    kind: 'busy',
    async handle() {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
    },
  });
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const queue = createJobQueue({ database, clock, services: null, jobs: [busy], concurrency: 3 });
  await database.transaction(async (tx) => {
    for (let i = 0; i < 9; i++) await enqueue(tx, busy, {});
  });
  const { promise: worked, resolve } = Promise.withResolvers<void>();
  queue.afterBatch(({ jobCount: ran }) => ran > 0 && resolve());
  await queue.start();
  await worked;
  await queue.stop();
  assert.equal(most, 3);
});

test('stopping waits for running jobs, and releases those that take too long', async () => {
  const clock = testClock();
  await using database = await testDatabase({ clock });
  const { promise: began, resolve: tellBegan } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  let told = false;
  const endless = defineJob({
    kind: 'endless',
    async handle(_rooms: null, _payload: Record<string, never>, { signal }) {
      signal.addEventListener('abort', () => {
        told = true;
      });
      tellBegan();
      await mayEnd;
    },
  });
  const queue = createJobQueue({ database, clock, services: null, jobs: [endless] });
  await database.transaction((tx) => enqueue(tx, endless, {}));
  await queue.start();
  await began;
  await queue.stop(1);
  const [job] = await jobs(database);
  assert.deepEqual([told, job!.lease_owner, job!.attempts, job!.state], [true, null, 0, 'pending']);
  end();
  await queue.stop();
});

test('several processes share the jobs and run each once', { skip: engine !== 'postgres' }, async () => {
  await using place = await testPlace();
  const clock = testClock();
  const databases = await Promise.all([1, 2, 3].map(() => openDatabase({ ...place, clock })));
  const heard: string[] = [];
  const queues = databases.map((database) => createJobQueue({ database, clock, services: { heard }, jobs: [say] }));
  await databases[0]!.transaction(async (tx) => {
    for (let i = 0; i < 60; i++) await enqueue(tx, say, { word: `w${i}` });
  });
  const ran = await Promise.all(queues.map((queue) => queue.runDue()));
  assert.equal(
    ran.reduce((sum, count) => sum + count),
    60,
  );
  assert.equal(new Set(heard).size, 60);
  assert.equal(heard.length, 60);
  await Promise.all(databases.map((database) => database.close()));
});

test('the queries of an idle and of a busy queue are served by indexes', async () => {
  await using s = await setting();
  const claim = { owner: 'o', leaseUntil: timestamp(s.clock), kinds: ['say', 'fail'], limit: 4 };
  await s.database.transaction(async (tx) => {
    const idle = await explainPlan(tx, findDueJob.query(tx, { now: tx.now }));
    assert.match(idle.join('\n'), /background_jobs_by_run_at/);
    const busy = await explainPlan(tx, buildClaimQuery(tx, claim));
    assert.match(busy.join('\n'), /background_jobs_by_run_at/);
    assert.match(busy.join('\n'), /background_jobs_leased/);
    const suspects = await explainPlan(tx, buildClaimQuery(tx, { ...claim, onlySuspects: true }));
    assert.match(suspects.join('\n'), /background_jobs_suspects/);
    const suspect = await explainPlan(tx, findDueSuspect.query(tx, { now: tx.now }));
    assert.match(suspect.join('\n'), /background_jobs_suspects/);
    const expired = await explainPlan(tx, findExpiredLease.query(tx, { now: tx.now, owner: 'o' }));
    assert.match(expired.join('\n'), /background_jobs_leased/);
  });
});

test('runs short jobs while the maximum number of long jobs runs', async () => {
  const [ended, said] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const wait = defineJob({
    kind: 'wait',
    isLongRunning: true,
    handle: (services: Services) => ended.promise.then(() => void services.heard.push('long')),
  });
  const short = defineJob({
    kind: 'short',
    async handle(services: Services) {
      services.heard.push('short');
      said.resolve();
    },
  });
  await using s = await setting({ jobs: [short, wait], concurrency: 1, longConcurrency: 2 });
  for (const job of [wait, wait, wait, short]) await s.database.transaction((tx) => enqueue(tx, job, {}));
  const done = s.queue.runDue();
  await said.promise;
  assert.deepEqual(s.services.heard, ['short']);
  ended.resolve();
  assert.equal(await done, 4);
  assert.deepEqual(s.services.heard, ['short', 'long', 'long', 'long']);
});

test('jobs that wait for external servers do not delay long jobs', async () => {
  const [ended, said] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const fetch = defineJob({ kind: 'fetch', isExternal: true, handle: (_rooms: Services) => ended.promise });
  const move = defineJob({ kind: 'move', isLongRunning: true, handle: async (_rooms: Services) => said.resolve() });
  await using s = await setting({ jobs: [fetch, move], longConcurrency: 1, externalConcurrency: 2 });
  for (const job of [fetch, fetch, fetch, move]) await s.database.transaction((tx) => enqueue(tx, job, {}));
  const done = s.queue.runDue();
  await said.promise;
  ended.resolve();
  assert.equal(await done, 4);
});

test('counts jobs that finish before the whole batch has started', async () => {
  const wait = defineJob({ kind: 'wait', isLongRunning: true, handle: async (_rooms: Services) => {} });
  await using s = await setting({ jobs: [say, wait] });
  await s.add('short');
  await s.database.transaction((tx) => enqueue(tx, wait, {}));
  const { transaction } = s.database;
  const ended = Promise.withResolvers<void>();
  let calls = 0;
  // The first takes the short work, the second takes the long, the third ends the short.
  s.database.transaction = async (work, options) => {
    const call = ++calls;
    if (call === 2) await ended.promise.then(() => new Promise(setImmediate));
    return transaction(work, options).finally(() => call === 3 && ended.resolve());
  };
  assert.equal(await s.queue.runDue(), 2);
});
