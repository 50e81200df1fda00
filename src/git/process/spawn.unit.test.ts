import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { writeBlob } from '../commits/commit.ts';
import { commitTo, files, gitWorld, pidOf, someClient } from '../fixtures.testing.ts';
import { createGit, gitFor } from '../git.ts';
import { commands } from './commands.ts';
import { GitFailed } from './failures.ts';
import { output, run, stream } from './spawn.ts';

test('user text never becomes an option', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  const commit = await commitTo(world, 'main', files({ '-x': 'a', ':(glob)**': 'b', 'a.txt': 'c' }));
  const result = await run(git, repository, 'rev-list', { args: ['--all'] });
  assert.equal(result.ok, false, '--all is looked for as a revision');
  await assert.rejects(run(git, repository, 'blame', { args: ['--help'] }), /was to be given the argument "--help"/);
  await assert.rejects(run(git, repository, 'rev-list', { flags: ['main'] }), /was to be given the flag "main"/);
  await assert.rejects(run(git, repository, 'rev-list', { flags: ['--'] }), /flag/);
  await assert.rejects(run(git, repository, 'rev-list', { args: ['main\0'] }), /argument/);
  const flags = ['-1'];
  for (const path of ['-x', ':(glob)**', 'a.txt']) {
    assert.equal(
      (await output(git, repository, 'rev-list', { flags, args: ['main'], paths: [path] })).toString(),
      `${commit}\n`,
    );
  }
  for (const path of ['*.txt', ':(glob)*', ':/', 'a*']) {
    assert.equal(
      (await output(git, repository, 'rev-list', { flags, args: ['main'], paths: [path] })).toString(),
      '',
      path,
    );
  }
});

test('neither the environment nor the configuration of the machine counts', async (t) => {
  const world = await gitWorld(t);
  const { git, repository, root } = world;
  await commitTo(world, 'main', files({ a: 'a' }));
  await mkdir(join(root, 'home'));
  await writeFile(join(root, 'home/.gitconfig'), '[log]\n\tdecorate = nonsense\n[core]\n\tabbrev = nonsense\n');
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  Object.assign(process.env, {
    HOME: join(root, 'home'),
    GIT_OBJECT_DIRECTORY: '/nonexistent',
    GIT_TRACE: '2',
    LC_ALL: 'de_DE.UTF-8',
  });
  const result = await run(git, repository, 'log', { flags: ['--oneline'], args: ['main'] });
  assert.ok(result.ok);
  const failed = await run(git, repository, 'log', { args: ['none'] });
  assert.ok(!failed.ok && failed.failure.kind === 'not-found');
});

/** How a run ends. */
const kind = async (result: ReturnType<typeof run>) => {
  const { ok, ...rest } = await result;
  return ok || !('failure' in rest) ? 'ok' : rest.failure.kind;
};

test('failures are typed', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  const first = await commitTo(world, 'main', files({ a: 'a' }));
  assert.equal(await kind(run(git, { directory: '/nonexistent' }, 'rev-list', { args: [first] })), 'no-repository');
  assert.equal(await kind(run(git, repository, 'rev-list', { args: ['none'] })), 'not-found');
  assert.equal(await kind(run(git, repository, 'rev-list', { args: ['1'.repeat(40)] })), 'not-found');
  assert.equal(await kind(run(git, repository, 'rev-list', { flags: ['--nonsense'], args: [first] })), 'failed');
  await assert.rejects(output(git, repository, 'rev-list', { args: ['none'] }), (error) => error instanceof GitFailed);
  const missing = createGit({ storages: {}, clock: git.clock, program: '/nonexistent/git' });
  assert.equal(await kind(run(missing, repository, 'version', {})), 'unavailable');
  await missing.close();
});

test('a child ends that says too much, takes too long or is not wanted any more', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  await commitTo(world, 'main', files({ a: 'a' }));
  await commitTo(world, 'main', files({ b: 'b' }));
  assert.equal(await kind(run(git, repository, 'rev-list', { args: ['main'] }, { limit: 41 })), 'too-large');
  const cut = await run(git, repository, 'rev-list', { args: ['main'] }, { limit: 41 });
  assert.ok(cut.stdout.length <= 41);
  // Its input stays open, so that nothing but the limit ends it.
  const waiting = stream(git, repository, 'cat-file', { flags: ['--batch'] }, { timeLimit: 1 });
  waiting.stdout.resume();
  const ended = await waiting.done;
  assert.equal(ended.ok ? 'ok' : ended.failure.kind, 'timed-out');
});

test('each process may hold what the row of its command says, and what it starts too', async (t) => {
  const world = await gitWorld(t);
  const program = join(world.root, 'limits');
  await writeFile(program, '#!/bin/sh\nulimit -d\nsh -c "ulimit -d"\n');
  await chmod(program, 0o755);
  const git = createGit({ storages: {}, clock: world.git.clock, program });
  const said = (await output(git, null, 'version', {})).toString();
  assert.equal(said, `${commands.version.memory * 1024}\n`.repeat(2));
  await git.close();
});

test('a command that needs more memory than it may hold fails by that', async (t) => {
  const world = await gitWorld(t);
  const commit = await commitTo(world, 'main', files({ a: 'a' }), { message: 'x'.repeat(2 * 1024 * 1024) });
  const tight = { env: { GIT_ALLOC_LIMIT: '1m' } };
  assert.equal(await kind(run(world.git, world.repository, 'log', { args: [commit] }, tight)), 'out-of-memory');
});

test('each row of the table has limits of time, output and memory', () => {
  for (const [name, row] of Object.entries(commands)) {
    for (const limit of [row.seconds, row.output, row.memory]) assert.ok(limit > 0 && Number.isFinite(limit), name);
  }
});

test('a command ends with the client that it works for, and does not begin without it', async (t) => {
  const world = await gitWorld(t);
  const { repository } = world;
  const { client, leave } = someClient();
  const git = gitFor(world.git, client);
  const child = stream(git, repository, 'cat-file', { flags: ['--batch'] });
  const moving = stream(git, repository, 'update-ref', { flags: ['--stdin'] });
  leave();
  assert.deepEqual(await child.done, { ok: false, failure: { kind: 'stopped' } });
  assert.throws(() => stream(git, repository, 'cat-file', { flags: ['--batch'] }), GitFailed);
  moving.stdin.end('start\n');
  assert.equal(await text(moving.stdout), 'start: ok\n', 'what moves refs goes on');
  assert.equal((await moving.done).ok, true);
});

test('a code that is declared as an answer is no failure', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  const first = await commitTo(world, 'main', files({ a: 'a' }));
  const second = await commitTo(world, 'main', files({ b: 'b' }));
  const isAncestor = { flags: ['--is-ancestor'], args: [second, first] };
  assert.equal(await kind(run(git, repository, 'merge-base', isAncestor)), 'failed');
  const answer = await run(git, repository, 'merge-base', isAncestor, { answers: [1] });
  assert.ok(answer.ok && answer.code === 1);
});

test('a child with further pipes tells its end, and one that is stopped while it waits leaves nothing', async (t) => {
  const { git, repository } = await gitWorld(t);
  const child = stream(git, repository, 'cat-file', { flags: ['--batch'] }, { pipes: 2 });
  assert.equal(child.pipes.length, 2);
  child.stdin.end('none\n');
  assert.equal(await text(child.stdout), 'none missing\n');
  assert.deepEqual(await child.done, { ok: true, code: 0 });
  const waiting = stream(git, repository, 'cat-file', { flags: ['--batch'] });
  waiting.kill();
  assert.deepEqual(await waiting.done, { ok: false, failure: { kind: 'stopped' } });
  waiting.kill();
  assert.equal(git.processes.children.size, 0);
});

test('output waits for whoever reads it', async (t) => {
  const { git, repository } = await gitWorld(t);
  const id = await writeBlob(git, repository, randomBytes(8 * 1024 * 1024));
  const child = stream(git, repository, 'cat-file', { args: ['blob', id] });
  let size = 0;
  for await (const chunk of child.stdout) {
    size += (chunk as Buffer).length;
    assert.ok(child.stdout.readableLength < 1024 * 1024);
  }
  assert.equal(size, 8 * 1024 * 1024);
  assert.deepEqual(await child.done, { ok: true, code: 0 });
});

test('closing stops what runs, and nothing starts afterwards', async (t) => {
  const { git, repository } = await gitWorld(t);
  const child = stream(git, repository, 'cat-file', { flags: ['--batch'] });
  const pid = await pidOf(child);
  await git.close();
  assert.deepEqual(await child.done, { ok: false, failure: { kind: 'stopped' } });
  assert.throws(() => stream(git, repository, 'version', {}), GitFailed);
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
});
