import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { writeBlob } from '../commits/commit.ts';
import { createGitWorld } from '../fixtures.testing.ts';
import { createProcessPool, type PooledProcess } from './process-pool.ts';

const childOf = async (speaker: PooledProcess) => speaker.child;

test('a process with unread output is not reused', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const id = await writeBlob(git, repository, Buffer.from('content'));
  const pool = createProcessPool(
    git,
    'cat-file',
    { flags: ['--batch-command'] },
    { maxProcesses: 2, maxUseSeconds: 60 },
  );
  const first = await pool.use(repository, childOf);
  assert.equal(await pool.use(repository, childOf), first);
  await pool.use(repository, async (speaker) => {
    speaker.send(`contents ${id}\n`);
    await speaker.readLine();
    assert.equal((await speaker.readBytes(3)).toString(), 'con');
  });
  assert.notEqual(await pool.use(repository, childOf), first);
});

test('a process whose caller failed is not reused', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const pool = createProcessPool(
    git,
    'cat-file',
    { flags: ['--batch-command'] },
    { maxProcesses: 2, maxUseSeconds: 60 },
  );
  const first = await pool.use(repository, childOf);
  const failing = pool.use(repository, async () => {
    throw new Error('the caller failed');
  });
  await assert.rejects(failing, /the caller failed/);
  assert.notEqual(await pool.use(repository, childOf), first);
});

test('callers beyond the limit wait, and closing rejects them', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const pool = createProcessPool(
    git,
    'cat-file',
    { flags: ['--batch-command'] },
    { maxProcesses: 1, maxUseSeconds: 60 },
  );
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = pool.use(repository, async () => {
    await held.promise;
    order.push('first');
  });
  const second = pool.use(repository, async () => order.push('second'));
  const elsewhere = pool.use({ directory: '/nonexistent' }, (speaker) => speaker.readLine());
  held.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first', 'second']);
  await assert.rejects(elsewhere, /no-repository/);
  const stuck = pool.use(repository, (speaker) => speaker.readLine());
  const waiting = [pool.use(repository, childOf), pool.use(repository, childOf), pool.use(repository, childOf)];
  const ends = [stuck, ...waiting].map((call) => assert.rejects(call, /stopped/));
  await git.close();
  await Promise.all(ends);
});

test('the queue of callers has a limit', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const pool = createProcessPool(
    git,
    'cat-file',
    { flags: ['--batch-command'] },
    { maxProcesses: 1, maxUseSeconds: 60 },
  );
  const held = Promise.withResolvers<void>();
  // One holds the process, and work without a client may fill the queue.
  const all = Array.from({ length: 5_001 }, () => pool.use(repository, () => held.promise));
  await assert.rejects(pool.use(repository, childOf), QueueFull);
  held.resolve();
  await Promise.all(all);
});
