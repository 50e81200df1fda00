import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { writeBlob } from '../commits/commit.ts';
import { gitWorld } from '../fixtures.testing.ts';
import { createPool, type Speaker } from './process-pool.ts';

const childOf = async (speaker: Speaker) => speaker.child;

test('a process whose answer was not read to its end is never lent again', async (t) => {
  const { git, repository } = await gitWorld(t);
  const id = await writeBlob(git, repository, Buffer.from('content'));
  const pool = createPool(git, 'cat-file', { flags: ['--batch-command'] }, { processes: 2, seconds: 60 });
  const first = await pool.lend(repository, childOf);
  assert.equal(await pool.lend(repository, childOf), first);
  await pool.lend(repository, async (speaker) => {
    speaker.say(`contents ${id}\n`);
    await speaker.line();
    assert.equal((await speaker.bytes(3)).toString(), 'con');
  });
  assert.notEqual(await pool.lend(repository, childOf), first);
});

test('a process whose caller failed is never lent again', async (t) => {
  const { git, repository } = await gitWorld(t);
  const pool = createPool(git, 'cat-file', { flags: ['--batch-command'] }, { processes: 2, seconds: 60 });
  const first = await pool.lend(repository, childOf);
  const failing = pool.lend(repository, async () => {
    throw new Error('the caller failed');
  });
  await assert.rejects(failing, /the caller failed/);
  assert.notEqual(await pool.lend(repository, childOf), first);
});

test('callers beyond the limit wait for their turn, and closing sends them away', async (t) => {
  const { git, repository } = await gitWorld(t);
  const pool = createPool(git, 'cat-file', { flags: ['--batch-command'] }, { processes: 1, seconds: 60 });
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = pool.lend(repository, async () => {
    await held.promise;
    order.push('first');
  });
  const second = pool.lend(repository, async () => order.push('second'));
  const elsewhere = pool.lend({ directory: '/nonexistent' }, (speaker) => speaker.line());
  held.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first', 'second']);
  await assert.rejects(elsewhere, /no-repository/);
  const stuck = pool.lend(repository, (speaker) => speaker.line());
  const waiting = [pool.lend(repository, childOf), pool.lend(repository, childOf), pool.lend(repository, childOf)];
  const ends = [stuck, ...waiting].map((call) => assert.rejects(call, /stopped/));
  await git.close();
  await Promise.all(ends);
});

test('a line of thousands has an end', async (t) => {
  const { git, repository } = await gitWorld(t);
  const pool = createPool(git, 'cat-file', { flags: ['--batch-command'] }, { processes: 1, seconds: 60 });
  const held = Promise.withResolvers<void>();
  const all = Array.from({ length: 5_001 }, () => pool.lend(repository, () => held.promise));
  await assert.rejects(pool.lend(repository, childOf), QueueFull);
  held.resolve();
  await Promise.all(all);
});
