import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { writeBlob } from '../commits/commit.ts';
import { commitFiles, createFileChanges, createGitWorld, createTestClient, waitForPid } from '../fixtures.testing.ts';
import { createGit, gitForClient } from '../git.ts';
import { COMMANDS } from './commands.ts';
import { GitError } from './failures.ts';
import { readGitOutput, runGit, spawnGit } from './spawn.ts';

test('user text never becomes an option', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ '-x': 'a', ':(glob)**': 'b', 'a.txt': 'c' }));
  const result = await runGit(git, repository, 'rev-list', { args: ['--all'] });
  assert.equal(result.ok, false, '--all is looked for as a revision');
  await assert.rejects(runGit(git, repository, 'blame', { args: ['--help'] }), /invalid argument "--help"/);
  await assert.rejects(runGit(git, repository, 'rev-list', { flags: ['main'] }), /invalid flag "main"/);
  await assert.rejects(runGit(git, repository, 'rev-list', { flags: ['--'] }), /flag/);
  await assert.rejects(runGit(git, repository, 'rev-list', { args: ['main\0'] }), /argument/);
  const flags = ['-1'];
  for (const path of ['-x', ':(glob)**', 'a.txt']) {
    assert.equal(
      (await readGitOutput(git, repository, 'rev-list', { flags, args: ['main'], paths: [path] })).toString(),
      `${commit}\n`,
    );
  }
  for (const path of ['*.txt', ':(glob)*', ':/', 'a*']) {
    assert.equal(
      (await readGitOutput(git, repository, 'rev-list', { flags, args: ['main'], paths: [path] })).toString(),
      '',
      path,
    );
  }
});

test('ignores the environment and configuration of the machine', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository, root } = world;
  await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
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
  const result = await runGit(git, repository, 'log', { flags: ['--oneline'], args: ['main'] });
  assert.ok(result.ok);
  const failed = await runGit(git, repository, 'log', { args: ['none'] });
  assert.ok(!failed.ok && failed.failure.kind === 'not-found');
});

/** Returns how a run ends. */
const kind = async (result: ReturnType<typeof runGit>) => {
  const { ok, ...rest } = await result;
  return ok || !('failure' in rest) ? 'ok' : rest.failure.kind;
};

test('failures are typed', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const first = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  assert.equal(await kind(runGit(git, { directory: '/nonexistent' }, 'rev-list', { args: [first] })), 'no-repository');
  assert.equal(await kind(runGit(git, repository, 'rev-list', { args: ['none'] })), 'not-found');
  assert.equal(await kind(runGit(git, repository, 'rev-list', { args: ['1'.repeat(40)] })), 'not-found');
  assert.equal(await kind(runGit(git, repository, 'rev-list', { flags: ['--nonsense'], args: [first] })), 'failed');
  await assert.rejects(
    readGitOutput(git, repository, 'rev-list', { args: ['none'] }),
    (error) => error instanceof GitError,
  );
  const missing = createGit({ storages: {}, clock: git.clock, program: '/nonexistent/git' });
  assert.equal(await kind(runGit(missing, repository, 'version', {})), 'unavailable');
  await missing.close();
});

test('stops a child that exceeds its output, its time limit or is cancelled', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  await commitFiles(world, 'main', createFileChanges({ b: 'b' }));
  assert.equal(
    await kind(runGit(git, repository, 'rev-list', { args: ['main'] }, { maxOutputBytes: 41 })),
    'too-large',
  );
  const cut = await runGit(git, repository, 'rev-list', { args: ['main'] }, { maxOutputBytes: 41 });
  assert.ok(cut.stdout.length <= 41);
  // Its input stays open, so that only the limit ends it.
  const waiting = spawnGit(git, repository, 'cat-file', { flags: ['--batch'] }, { timeoutMs: 1 });
  waiting.stdout.resume();
  const ended = await waiting.done;
  assert.equal(ended.ok ? 'ok' : ended.failure.kind, 'timed-out');
});

test('limits the memory of each process and of its children', async (t) => {
  const world = await createGitWorld(t);
  const program = join(world.root, 'limits');
  await writeFile(program, '#!/bin/sh\nulimit -d\nsh -c "ulimit -d"\n');
  await chmod(program, 0o755);
  const git = createGit({ storages: {}, clock: world.git.clock, program });
  const output = (await readGitOutput(git, null, 'version', {})).toString();
  assert.equal(output, `${COMMANDS.version.maxMemoryMib * 1024}\n`.repeat(2));
  await git.close();
});

test('a command over its memory limit fails with out-of-memory', async (t) => {
  const world = await createGitWorld(t);
  const commit = await commitFiles(world, 'main', createFileChanges({ a: 'a' }), {
    message: 'x'.repeat(2 * 1024 * 1024),
  });
  const tight = { env: { GIT_ALLOC_LIMIT: '1m' } };
  assert.equal(await kind(runGit(world.git, world.repository, 'log', { args: [commit] }, tight)), 'out-of-memory');
});

test('each command has limits of time, output and memory', () => {
  for (const [name, row] of Object.entries(COMMANDS)) {
    for (const limit of [row.timeoutSeconds, row.maxOutputMib, row.maxMemoryMib])
      assert.ok(limit > 0 && Number.isFinite(limit), name);
  }
});

test('a command stops when its client disconnects, and does not start without it', async (t) => {
  const world = await createGitWorld(t);
  const { repository } = world;
  const { client, leave } = createTestClient();
  const git = gitForClient(world.git, client);
  const child = spawnGit(git, repository, 'cat-file', { flags: ['--batch'] });
  const moving = spawnGit(git, repository, 'update-ref', { flags: ['--stdin'] });
  leave();
  assert.deepEqual(await child.done, { ok: false, failure: { kind: 'stopped' } });
  assert.throws(() => spawnGit(git, repository, 'cat-file', { flags: ['--batch'] }), GitError);
  moving.stdin.end('start\n');
  assert.equal(await text(moving.stdout), 'start: ok\n', 'what moves refs goes on');
  assert.equal((await moving.done).ok, true);
});

test('an accepted exit code is not a failure', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const first = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const second = await commitFiles(world, 'main', createFileChanges({ b: 'b' }));
  const isAncestor = { flags: ['--is-ancestor'], args: [second, first] };
  assert.equal(await kind(runGit(git, repository, 'merge-base', isAncestor)), 'failed');
  const answer = await runGit(git, repository, 'merge-base', isAncestor, { acceptedCodes: [1] });
  assert.ok(answer.ok && answer.code === 1);
});

test('a child with more pipes reports its exit, also when stopped while waiting', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const child = spawnGit(git, repository, 'cat-file', { flags: ['--batch'] }, { pipes: 2 });
  assert.equal(child.pipes.length, 2);
  child.stdin.end('none\n');
  assert.equal(await text(child.stdout), 'none missing\n');
  assert.deepEqual(await child.done, { ok: true, code: 0 });
  const waiting = spawnGit(git, repository, 'cat-file', { flags: ['--batch'] });
  waiting.kill();
  assert.deepEqual(await waiting.done, { ok: false, failure: { kind: 'stopped' } });
  waiting.kill();
  assert.equal(git.processes.children.size, 0);
});

test('output has back-pressure', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const id = await writeBlob(git, repository, randomBytes(8 * 1024 * 1024));
  const child = spawnGit(git, repository, 'cat-file', { args: ['blob', id] });
  let size = 0;
  for await (const chunk of child.stdout) {
    size += (chunk as Buffer).length;
    assert.ok(child.stdout.readableLength < 1024 * 1024);
  }
  assert.equal(size, 8 * 1024 * 1024);
  assert.deepEqual(await child.done, { ok: true, code: 0 });
});

test('close stops running commands, and nothing starts afterwards', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const child = spawnGit(git, repository, 'cat-file', { flags: ['--batch'] });
  const pid = await waitForPid(child);
  await git.close();
  assert.deepEqual(await child.done, { ok: false, failure: { kind: 'stopped' } });
  assert.throws(() => spawnGit(git, repository, 'version', {}), GitError);
  assert.throws(() => process.kill(pid, 0), /ESRCH/);
});
