import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statements } from '../../../../test/statements.ts';
import { world } from '../../../../test/world.ts';

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
