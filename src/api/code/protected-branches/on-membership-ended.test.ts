import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const { root, clock, runJobs, newProject, newGroup } = await world();

/** A project in a group, with a rule that admits a developer and Maintainers. */
async function createProjectWithRule(membership: { readonly expires_at?: string } = {}) {
  const group = await newGroup();
  const project = await newProject({ in: group });
  const { owner } = project;
  const dora = await project.addMember('developer', undefined, membership);
  const url = `${project.at}/protected_branches`;
  const [own, roles] = [[{ user_id: dora.id }], [{ access_level: 40 }]];
  const rule = { allowed_to_push: [...own, ...roles], allowed_to_merge: own, allowed_to_unprotect: [...roles, ...own] };
  assert.equal((await owner.post(url, { name: 'kept', ...rule })).status, 201);
  return { owner, dora, group, project, admitted: () => listAdmittedUsers(owner, url) };
}

async function listAdmittedUsers(owner: Caller, url: string): Promise<(number | null)[][]> {
  const { body } = await owner.get(`${url}/kept`);
  return ['push', 'merge', 'unprotect'].map((kind) =>
    body[`${kind}_access_levels`].map((level: { user_id: number | null }) => level.user_id),
  );
}

test('deletes entries of a user who leaves the project, and does not restore them on joining', async () => {
  const { owner, dora, project, admitted } = await createProjectWithRule();
  const elsewhere = await createProjectWithRule();
  assert.deepEqual(await admitted(), [[dora.id, null], [dora.id], [null, dora.id]]);
  assert.equal((await owner.delete(`${project.at}/members/${dora.id}`)).status, 204);
  assert.deepEqual(await admitted(), [[null], [], [null]]);
  await project.addMember('developer', dora);
  assert.deepEqual(await admitted(), [[null], [], [null]]);
  assert.deepEqual((await elsewhere.admitted())[1], [elsewhere.dora.id]);
});

test('keeps entries while the user is a member through a group', async () => {
  const { owner, dora, group, project, admitted } = await createProjectWithRule();
  await group.addMember('reporter', dora);
  await owner.delete(`${project.at}/members/${dora.id}`);
  assert.deepEqual(await admitted(), [[dora.id, null], [dora.id], [null, dora.id]]);
  await owner.delete(`${group.at}/members/${dora.id}`);
  assert.deepEqual(await admitted(), [[null], [], [null]]);
});

test('deletes entries when a membership expires or the user is deleted', async () => {
  const expiring = await createProjectWithRule({ expires_at: '2026-01-04' });
  const deleted = await createProjectWithRule();
  assert.equal((await root.delete(`/users/${deleted.dora.id}`)).status, 204);
  await runJobs();
  assert.deepEqual(await deleted.admitted(), [[null], [], [null]]);
  assert.deepEqual((await expiring.admitted())[1], [expiring.dora.id]);
  for (let day = 0; day < 3; day++) {
    clock.advance(24 * 60 * 60);
    await runJobs();
  }
  assert.deepEqual(await expiring.admitted(), [[null], [], [null]]);
});
