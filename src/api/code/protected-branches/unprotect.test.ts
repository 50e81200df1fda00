import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { writeToBranch } from './fixtures.testing.ts';

test('deletes a rule for an admitted Maintainer and allows pushes immediately', async () => {
  const { project, owner, developer, root } = await world({ project: { readme: true, with: ['developer'] } });
  const url = `${project.at}/protected_branches`;
  await owner.post(url, { name: 'free', unprotect_access_level: 60 });
  assert.equal((await writeToBranch(developer, project, 'free', 'one.txt')).status, 403);
  for (const since of ['2001-01-01', '2099-01-01']) {
    const refused = await owner.delete(`${url}/free`, undefined, { 'If-Unmodified-Since': since });
    assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }], since);
  }
  assert.equal((await root.delete(`${url}/free`)).status, 204);
  assert.equal((await writeToBranch(developer, project, 'free', 'one.txt')).status, 201);
  await owner.post(url, { name: 'free', allowed_to_unprotect: [{ user_id: owner.id }] });
  assert.equal((await root.delete(`${url}/free`)).status, 403);
  assert.equal((await owner.delete(`${project.repository}/branches/free`)).status, 204);
  assert.equal((await owner.get(`${url}/free`)).status, 200);
  assert.equal((await owner.delete(`${url}/free`)).status, 204);
});

test('returns 403 to callers who are not admitted to delete or update a rule', async () => {
  const { project, owner, root } = await world({ project: { readme: true } });
  const rule = `${project.at}/protected_branches/main`;
  const branch = `${project.repository}/branches/main`;
  await owner.delete(rule);
  const created = await owner.post(`${project.at}/protected_branches`, { name: 'main', unprotect_access_level: 60 });
  const { id } = created.body.unprotect_access_levels[0];
  for (const refused of [
    await owner.patch(rule, { allowed_to_unprotect: [{ access_level: 40 }] }),
    await owner.patch(rule, { allowed_to_unprotect: [{ id, _destroy: true }] }),
    await owner.patch(rule, { allow_force_push: true }),
    await owner.put(`${branch}/protect`, { developers_can_push: true }),
    await owner.put(`${branch}/unprotect`),
  ]) {
    assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
  }
  assert.equal((await owner.patch(rule, {})).status, 200);
  assert.equal((await owner.put(`${branch}/protect`)).status, 200);
  assert.deepEqual((await owner.get(rule)).body, created.body);
  assert.equal((await root.patch(rule, { allowed_to_unprotect: [{ id, access_level: 40 }] })).status, 200);
  assert.equal((await owner.patch(rule, { allow_force_push: true })).status, 200);
});
