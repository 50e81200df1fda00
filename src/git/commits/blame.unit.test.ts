import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitFiles, createFileChanges, createGitWorld } from '../fixtures.testing.ts';
import { blame } from './blame.ts';

const update = (path: string, content: string | Buffer) => [
  { action: 'update' as const, path, content: Buffer.from(content) },
];

test('consecutive lines of one commit are one group, in file order', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const a = await commitFiles(world, 'main', createFileChanges({ f: '1\n2\n3\n4\n' }));
  const b = await commitFiles(world, 'main', update('f', '1\nx\n3\n4\r\n\ttab\n'));
  const c = await commitFiles(world, 'main', update('f', '1\nx\n3\n4\r\n\ttab\nlast'));
  const groups = [
    { commit: a, lines: ['1'] },
    { commit: b, lines: ['x'] },
    { commit: a, lines: ['3'] },
    { commit: b, lines: ['4\r', '\ttab'] },
    { commit: c, lines: ['last'] },
  ];
  assert.deepEqual(await blame(git, repository, c, 'f'), { ok: true, groups });
  assert.deepEqual(await blame(git, repository, c, 'f', { start: 2, end: 3 }), {
    ok: true,
    groups: groups.slice(1, 3),
  });
  assert.deepEqual(await blame(git, repository, c, 'f', { start: 6, end: 99 }), { ok: true, groups: groups.slice(4) });
  assert.deepEqual(await blame(git, repository, c, 'f', { start: 7, end: 8 }), { ok: true, groups: [] });
  assert.deepEqual(await blame(git, repository, a, 'f'), {
    ok: true,
    groups: [{ commit: a, lines: ['1', '2', '3', '4'] }],
  });
});

test('blames empty files, empty lines, binary content and unusual names', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const bytes = Buffer.from([0x61, 0xff, 0x0a, 0x00, 0x0a]);
  const names = ['*.txt', ':(glob)x', '-x', 'new\nline', '"q"', 'ü'];
  const commit = await commitFiles(world, 'main', [
    ...createFileChanges({ empty: '', lines: '\n\n', tabs: '\ta\n\t\tb\n' }),
    { action: 'create', path: 'bytes', content: bytes },
    ...createFileChanges(Object.fromEntries(names.map((name) => [name, name.length.toString()]))),
  ]);
  const table: [string, string[] | null][] = [
    ['empty', null],
    ['lines', ['', '']],
    ['tabs', ['\ta', '\t\tb']],
    ['bytes', ['a\ufffd', '\0']],
    ...names.map((name): [string, string[]] => [name, [name.length.toString()]]),
  ];
  for (const [path, lines] of table) {
    const groups = lines === null ? [] : [{ commit, lines }];
    assert.deepEqual(await blame(git, repository, commit, path), { ok: true, groups }, path);
  }
  assert.deepEqual(await blame(git, repository, commit, 'empty', { start: 1, end: 2 }), { ok: true, groups: [] });
});

test('results are cached, and concurrent equal calls run once', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ f: '1\n' }));
  const [first, second] = await Promise.all([blame(git, repository, commit, 'f'), blame(git, repository, commit, 'f')]);
  assert.equal(first, second);
  const started = git.processes.children.size;
  const third = blame(git, repository, commit, 'f');
  assert.equal(git.processes.children.size, started);
  assert.equal(await third, first);
});

test('a blame that takes too long fails and can be retried', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ f: '1\n' }));
  const result = await blame(git, repository, commit, 'f', undefined, { timeoutMs: 0 });
  assert.deepEqual(result, { rejected: 'timed-out' });
  assert.deepEqual(await blame(git, repository, commit, 'f'), { ok: true, groups: [{ commit, lines: ['1'] }] });
});

test('a caller with a longer time limit does not fail with others', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ f: '1\n' }));
  const answers = [{ timeoutMs: 0 }, {}].map((options) => blame(git, repository, commit, 'f', undefined, options));
  assert.deepEqual(await Promise.all(answers), [
    { rejected: 'timed-out' },
    { ok: true, groups: [{ commit, lines: ['1'] }] },
  ]);
});
