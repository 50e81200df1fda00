import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statements } from '#test/support/statement-watch.ts';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

test('runs the same number of queries for two and for many projects', async () => {
  const testWorld = await world();
  const { user } = testWorld;
  const owner = await user();
  await newProject({ owner });
  await newProject({ owner, in: { id: (await newGroup({ owner })).id } });
  await owner.get('/projects');
  const few = await statements(testWorld, () => owner.get('/projects', { owned: true }));
  for (let i = 0; i < 5; i += 1) {
    const { id } = await newGroup({ owner });
    await newProject({ owner, in: { id: id } });
  }
  let result = 0;
  const many = await statements(testWorld, async () => {
    result = (await owner.get('/projects', { owned: true })).body.length;
  });
  assert.equal(result, 7);
  assert.equal(many, few);
  // Every request also reads the settings, since a rate limit may be enabled.
  assert.ok(many <= 9, `${many} queries`);
});

test('runs a fixed number of queries for one project', async () => {
  const testWorld = await world();
  const { at, owner, developer } = await testWorld.newProject({ with: ['developer'] });
  for (const caller of [owner, developer]) await caller.get(at);
  // A commit invalidates all cached responses.
  await testWorld.user();
  assert.equal(await statements(testWorld, () => developer.get(at)), 5);
  // Runner registration: the settings of the instance and of the root group, and the token.
  assert.equal(await statements(testWorld, () => owner.get(at)), 8);
});

test('runs the same number of queries for ten and a hundred search words, which all must match', async () => {
  const testWorld = await world();
  const words = Array.from({ length: 40 }, (_, at) => `w${(1000 + at).toString(36)}`);
  const { id, owner } = await testWorld.newProject({ name: words.join(' '), path: 'words' });
  const found = async (search: readonly string[]) => {
    const { body } = await owner.get('/projects', { search: search.join(' ') });
    return body.map((project: { id: number }) => project.id);
  };
  const ten = await statements(testWorld, async () => assert.deepEqual(await found(words.slice(0, 10)), [id]));
  assert.deepEqual(await found(words), [id]);
  assert.deepEqual(await found([...words, 'nil']), []);
  const hundred = Array.from({ length: 100 }, (_, at) => `v${(1000 + at).toString(36)}`);
  assert.ok((await statements(testWorld, async () => assert.deepEqual(await found(hundred), []))) <= ten);
});
