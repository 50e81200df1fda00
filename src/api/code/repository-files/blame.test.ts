import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createFile, createProjectWithFile, fileUrl, getTip } from './fixtures.testing.ts';

test('groups adjacent lines by commit, also within a range', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'poem.txt', 'one\ntwo\nthree\n');
  const first = await getTip(owner, project.repository);
  const changed = await owner.put(fileUrl(project.repository, 'poem.txt'), {
    branch: 'main',
    content: 'one\nTWO\nthree\n',
    commit_message: 'Louder',
  });
  assert.equal(changed.status, 200);
  const second = await getTip(owner, project.repository);
  const blame = (params: Record<string, unknown>) =>
    owner.get(fileUrl(project.repository, 'poem.txt', '/blame'), { ref: 'main', ...params });
  const whole = await blame({});
  assert.deepEqual(
    whole.body.map(({ commit, lines }: { commit: { id: string }; lines: string[] }) => [commit.id, lines]),
    [
      [first, ['one']],
      [second, ['TWO']],
      [first, ['three']],
    ],
  );
  assert.deepEqual((await blame({ 'range[start]': 2, 'range[end]': 9 })).body.length, 2);
  assert.deepEqual((await blame({ 'range[start]': 7, 'range[end]': 9 })).body, []);
});

test('reports invalid ranges', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createFile(owner, project.repository, 'poem.txt', 'one\ntwo\nthree\n');
  const blame = (params: Record<string, unknown>) =>
    owner.get(fileUrl(project.repository, 'poem.txt', '/blame'), { ref: 'main', ...params });
  const wrong: [Record<string, unknown>, unknown][] = [
    [{ 'range[start]': 1 }, { error: 'range[end] is missing, range[end] is empty' }],
    [
      { 'range[start]': -1, 'range[end]': 0 },
      { error: 'range[start] does not have a valid value, range[end] does not have a valid value' },
    ],
    [{ 'range[start]': '', 'range[end]': '' }, { error: 'range[start] is empty, range[end] is empty' }],
    [{ 'range[start]': 'x', 'range[end]': 1 }, { error: 'range[start] is invalid' }],
    [{ 'range[start]': 2, 'range[end]': 1 }, { message: 'range[start] must be less than or equal to range[end]' }],
  ];
  for (const [params, body] of wrong) {
    const answer = await blame(params);
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body, body);
  }
});

test('ignores the range for HEAD', async () => {
  const { owner, at } = await createProjectWithFile();
  for (const range of [{ 'range[start]': 2, 'range[end]': 1 }, { 'range[start]': 'x' }, { range: 1 }]) {
    assert.equal((await owner.head(at('README.md', '/blame'), { ref: 'main', ...range })).status, 200);
  }
});
