import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statements } from '#test/support/statement-watch.ts';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

test('a list costs as many queries for two projects as for many, in many namespaces', async () => {
  const here = await world();
  const { user } = here;
  const owner = await user();
  await newProject({ owner });
  await newProject({ owner, in: { id: (await newGroup({ owner })).id } });
  await owner.get('/projects');
  const few = await statements(here, () => owner.get('/projects', { owned: true }));
  for (let i = 0; i < 5; i += 1) {
    const { id } = await newGroup({ owner });
    await newProject({ owner, in: { id: id } });
  }
  let shown = 0;
  const many = await statements(here, async () => {
    shown = (await owner.get('/projects', { owned: true })).body.length;
  });
  assert.equal(shown, 7);
  assert.equal(many, few);
  // Every request asks for the settings, too: a throttle may have been switched on.
  assert.ok(many <= 8, `${many} queries`);
});

test('one project costs the settings, its caller, itself, its namespace with the owner, its open issues and the level', async () => {
  const here = await world();
  const { at, owner, developer } = await here.newProject({ with: ['developer'] });
  for (const caller of [owner, developer]) await caller.get(at);
  // After a commit no answer is remembered.
  await here.user();
  assert.equal(await statements(here, () => developer.get(at)), 6);
  // Who may register runners: whether that is allowed, by the instance and the group at the top, and the token.
  assert.equal(await statements(here, () => owner.get(at)), 9);
});

test('a search of a hundred words costs no more queries than one of ten, and each word must be there', async () => {
  const here = await world();
  const words = Array.from({ length: 40 }, (_, at) => `w${(1000 + at).toString(36)}`);
  const { id, owner } = await here.newProject({ name: words.join(' '), path: 'words' });
  const found = async (search: readonly string[]) => {
    const { body } = await owner.get('/projects', { search: search.join(' ') });
    return body.map((project: { id: number }) => project.id);
  };
  const ten = await statements(here, async () => assert.deepEqual(await found(words.slice(0, 10)), [id]));
  assert.deepEqual(await found(words), [id]);
  assert.deepEqual(await found([...words, 'nil']), []);
  const hundred = Array.from({ length: 100 }, (_, at) => `v${(1000 + at).toString(36)}`);
  assert.ok((await statements(here, async () => assert.deepEqual(await found(hundred), []))) <= ten);
});
