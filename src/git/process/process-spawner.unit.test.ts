import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { waitForPid } from '../fixtures.testing.ts';
import { type SpawnedProcess, startInSpawner, stopSpawner } from './process-spawner.ts';

afterEach(stopSpawner);

/** Runs a shell command with the spawner, which exists after a few starts. */
async function shell(line: string, streams = 3): Promise<SpawnedProcess> {
  const order = { file: '/bin/sh', args: ['-c', line], env: { PATH: process.env.PATH }, streams };
  for (;;) {
    const started = startInSpawner(order);
    if (started !== null) return started;
    await setImmediate();
  }
}

/** Returns its output and its exit. */
async function said(
  { streams: [stdin, stdout, stderr], ended }: SpawnedProcess,
  input = '',
): Promise<readonly unknown[]> {
  stdin!.end(input);
  return Promise.all([text(stdout!), text(stderr!), ended]);
}

test('a process gets only its own streams and environment', async () => {
  assert.deepEqual(await said(await shell('cat; echo wrong >&2; exit 3'), 'a\nb\n'), [
    'a\nb\n',
    'wrong\n',
    { code: 3 },
  ]);
  const [open] = await said(await shell('echo /proc/$$/fd/*; env | cut -d= -f1 | sort'));
  const [descriptors, ...names] = (open as string).trim().split('\n');
  assert.ok(!/fd\/([4-9]|\d\d)\b/.test(descriptors!), descriptors);
  assert.deepEqual(
    names.filter((name) => name !== '_'),
    ['OLDPWD', 'PATH', 'PWD'].filter((name) => names.includes(name)),
  );
});

test('a started process is not a child of this process', async () => {
  const [parent] = await said(await shell('echo $PPID'));
  assert.notEqual(Number(parent), process.pid);
});

test('additional streams work in both directions', async () => {
  const { streams, ended } = await shell('read word <&3; echo "$word back" >&4', 5);
  for (const stream of streams.slice(1, 3)) stream.resume();
  const [, , , third, fourth] = streams as Duplex[];
  await setImmediate();
  third!.write('there and\n');
  assert.equal(await text(fourth!), 'there and back\n');
  assert.deepEqual(await ended, { code: 0 });
});

test('reports a missing program', async () => {
  await said(await shell('true'));
  const started = startInSpawner({ file: '/nonexistent/program', args: [], env: {}, streams: 3 })!;
  const end = await started.ended;
  assert.match('error' in end ? end.error : '', /ENOENT/);
});

test('reports a failed start and keeps the other processes running', async () => {
  const other = await shell('read line; echo $line');
  const args = ['-c', 'true', 'x'.repeat(1024 * 1024)];
  const end = await startInSpawner({ file: '/bin/sh', args, env: {}, streams: 3 })!.ended;
  assert.match('error' in end ? end.error : '', /E2BIG/);
  assert.deepEqual(await said(other, 'still here\n'), ['still here\n', '', { code: 0 }]);
});

test('a signal reaches a process and its children, also before it runs', async () => {
  const running = await shell('sleep 1000 & echo begun; wait');
  await once(running.streams[1]!, 'data');
  running.signal('SIGKILL');
  // Its streams close when both processes have exited.
  assert.deepEqual(await running.ended, { code: null });
  const asked = await shell('sleep 1000');
  asked.signal('SIGKILL');
  assert.deepEqual(await asked.ended, { code: null });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a stream closed before the process runs ends', async () => {
  const unfed = await shell('cat; echo fed');
  unfed.streams[0]!.destroy();
  assert.equal(await text(unfed.streams[1]!), 'fed\n');
  assert.deepEqual(await unfed.ended, { code: 0 });
  const unread = await shell('exec yes');
  unread.streams[1]!.destroy();
  assert.deepEqual(await unread.ended, { code: null });
});

test('unread output is discarded when the process has exited', async () => {
  assert.deepEqual(await (await shell('echo unread')).ended, { code: 0 });
});

test('the death of the spawner kills its processes, and later ones start without it', async () => {
  const started = await shell('echo $PPID; sleep 1000');
  const [line] = await once(started.streams[1]!, 'data');
  await waitForPid(started);
  process.kill(Number(String(line)), 'SIGKILL');
  assert.deepEqual(await started.ended, { code: null });
  assert.deepEqual(await said(await shell('echo again')), ['again\n', '', { code: 0 }]);
});

test('a stopped spawner exits when its processes have exited', async () => {
  const started = await shell('echo $PPID; read line');
  const [line] = await once(started.streams[1]!, 'data');
  stopSpawner();
  assert.equal(startInSpawner({ file: '/bin/sh', args: ['-c', 'true'], env: {}, streams: 3 }), null);
  assert.ok(isThere(Number(String(line))));
  started.streams[0]!.end('go\n');
  assert.deepEqual(await started.ended, { code: 0 });
  while (isThere(Number(String(line)))) await setImmediate();
});
