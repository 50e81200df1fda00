import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const { newGroup, newProject, root, runJobs, clock } = await world();

/** A project in a group, whose protection names a developer of its own alone. */
async function naming(membership: { readonly expires_at?: string } = {}) {
  const group = await newGroup();
  const project = await newProject({ in: group });
  const { owner, at } = project;
  const dora = await project.addMember('developer', undefined, membership);
  const own = [{ user_id: dora.id }];
  const url = `${at}/protected_environments/production`;
  const params = { name: 'production', deploy_access_levels: own, approval_rules: [...own, { access_level: 40 }] };
  await expectSuccess(owner.post(`${at}/protected_environments`, params));
  const left = async () => {
    const { body } = await owner.get(url);
    return [body.deploy_access_levels.length, body.approval_rules.length];
  };
  return { group, project, dora, left };
}

test('removes a user who leaves a project from its protections, and does not restore them on joining', async () => {
  const { project, dora, left } = await naming();
  const elsewhere = await naming();
  assert.deepEqual(await left(), [1, 2]);
  await expectSuccess(project.owner.delete(`${project.at}/members/${dora.id}`));
  assert.deepEqual(await left(), [0, 1]);
  await project.addMember('developer', dora);
  assert.deepEqual(await left(), [0, 1]);
  assert.deepEqual(await elsewhere.left(), [1, 2]);
});

test('keeps direct members of a project in its protections when they leave the group', async () => {
  const { group, dora, left } = await naming();
  await group.addMember('developer', dora);
  await expectSuccess(group.owner.delete(`${group.at}/members/${dora.id}?skip_subresources=true`));
  assert.deepEqual(await left(), [1, 2]);
});

test('a membership that expires takes its elements along, and so does the end of a user', async () => {
  const expiring = await naming({ expires_at: '2026-01-04' });
  const deleted = await naming();
  await expectSuccess(root.delete(`/users/${deleted.dora.id}`));
  await runJobs();
  assert.deepEqual(await deleted.left(), [0, 1]);
  for (let day = 0; day < 3; day++) {
    clock.advance(24 * 60 * 60);
    await runJobs();
  }
  assert.deepEqual(await expiring.left(), [0, 1]);
});
