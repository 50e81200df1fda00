import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeploymentFixture } from '#test/support/deployment-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Whom protection keeps from stopping and destroying environments (contract/environments.md "Protection").

async function given({ env = {}, name = 'production' } = {}) {
  const here = await world({ project: { readme: true, with: ['developer', 'maintainer'] }, env });
  const { project, owner } = here;
  await expectSuccess(
    owner.post(`${project.at}/protected_environments`, { name, deploy_access_levels: [{ access_level: 40 }] }),
  );
  const { body } = await expectSuccess(owner.post(`${project.at}/environments`, { name }));
  return { ...here, made: body, at: `${project.at}/environments/${body.id}` };
}

test('lets only users who may deploy stop and delete a protected environment', async () => {
  const { developer, maintainer, at } = await given();
  for (const force of [false, true]) {
    const { status, body } = await developer.post(`${at}/stop`, { force });
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  }
  assert.equal((await maintainer.get(at)).body.state, 'available');
  assert.equal((await maintainer.post(`${at}/stop`)).body.state, 'stopped');
  assert.equal((await developer.delete(at)).status, 403);
  assert.equal((await maintainer.delete(at)).status, 204);
});

test('reads and updates a protected environment like any other', async () => {
  const { developer, at } = await given();
  assert.equal((await developer.get(at)).status, 200);
  assert.equal((await developer.put(at, { description: 'Here' })).body.description, 'Here');
});

test('applies protections of groups by the current tier', async () => {
  const { newGroup, newProject } = await world();
  const group = await newGroup({});
  const project = await newProject({ in: group });
  const developer = await project.addMember('developer');
  const level = { name: 'production', deploy_access_levels: [{ access_level: 40 }] };
  await expectSuccess(group.owner.post(`${group.at}/protected_environments`, level));
  const { body } = await expectSuccess(developer.post(`${project.at}/environments`, { name: 'eu' }));
  const at = `${project.at}/environments/${body.id}`;
  await expectSuccess(developer.put(at, { tier: 'production' }));
  assert.equal((await developer.post(`${at}/stop`)).status, 403);
  await expectSuccess(developer.put(at, { tier: 'other' }));
  assert.equal((await developer.post(`${at}/stop`)).status, 200);
});

test('admits administrators, and everybody on the free tier', async () => {
  const { root, at } = await given({ name: 'staging' });
  assert.equal((await root.post(`${at}/stop`)).status, 200);
  const free = await given({ env: { HEARTH_TIER: 'free' } });
  assert.equal((await free.developer.post(`${free.at}/stop`)).status, 200);
  assert.equal((await free.developer.delete(free.at)).status, 204);
});

test('plays a stop job of a protected environment only if its user may deploy there', async () => {
  const here = await given();
  const { project, maintainer, developer, made, at } = here;
  await createDeploymentFixture(here, project, made, { halt: { user_id: developer.id } });
  assert.equal((await maintainer.post(`${at}/stop`)).status, 403);
  assert.equal((await maintainer.get(at)).body.state, 'available');
  await expectSuccess(here.owner.delete(`${project.at}/protected_environments/production`));
  assert.equal((await maintainer.post(`${at}/stop`)).body.state, 'stopping');
});
