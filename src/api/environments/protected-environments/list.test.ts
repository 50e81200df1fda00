import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Group, type Project, world } from '#test/support/world.ts';

const { root, newGroup, newProject, anonymous, user, tokenOf } = await world();

const protect = ({ owner, at }: Group | Project, name: string) =>
  expectSuccess(owner.post(`${at}/protected_environments`, { name, deploy_access_levels: [{ access_level: 40 }] }));

const names = (body: { name: string }[]) => body.map(({ name }) => name);

test('lists protections by name in pages, without those of ancestor groups', async () => {
  const group = await newGroup();
  const inner = await newGroup({ in: group });
  const project = await newProject({ in: inner });
  for (const name of ['testing', 'other', 'production']) await protect(group, name);
  await protect(inner, 'staging');
  for (const name of ['b', 'review/a', 'a']) await protect(project, name);
  const { body, headers } = await group.owner.get(`${group.at}/protected_environments`, { per_page: 2 });
  assert.deepEqual(names(body), ['other', 'production']);
  assert.deepEqual([headers['x-total'], headers['x-next-page']], ['3', '2']);
  assert.deepEqual(names((await group.owner.get(`${inner.at}/protected_environments`)).body), ['staging']);
  assert.deepEqual(names((await group.owner.get(`${project.at}/protected_environments`)).body), ['a', 'b', 'review/a']);
});

test('reading is for whom may protect, with a token that reads', async () => {
  const group = await newGroup({ with: ['maintainer'] });
  const project = await newProject({ visibility: 'public', with: ['developer', 'maintainer'] });
  await protect(group, 'production');
  await protect(project, 'production');
  const statuses = (place: Group | Project, callers: readonly (typeof root)[]) =>
    Promise.all(
      callers.map(async (caller) => {
        const { status } = await caller.get(`${place.at}/protected_environments`);
        assert.equal((await caller.get(`${place.at}/protected_environments/production`)).status, status);
        return status;
      }),
    );
  const stranger = await user();
  assert.deepEqual(
    await statuses(group, [anonymous, stranger, group.maintainer, group.owner, root]),
    [401, 404, 403, 200, 200],
  );
  assert.deepEqual(
    await statuses(project, [anonymous, stranger, project.developer, project.maintainer, root]),
    [401, 403, 403, 200, 200],
  );
  const reader = await tokenOf(group.owner, ['read_api']);
  assert.deepEqual(await statuses(group, [reader]), [200]);
  assert.equal((await reader.delete(`${group.at}/protected_environments/production`)).body.error, 'insufficient_scope');
});

test('returns 404 for unprotected environments and unknown tiers', async () => {
  const group = await newGroup();
  await protect(group, 'production');
  for (const name of ['staging', 'Production', 'gprd', 'production%20']) {
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await group.owner.send(method, `${group.at}/protected_environments/${name}`);
      assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
    }
  }
});

test("a group's protection is shown once more when it goes, a project's is not", async () => {
  const [group, project] = [await newGroup(), await newProject()];
  const { body } = await protect(group, 'production');
  const url = `${group.at}/protected_environments/production`;
  const removed = await group.owner.delete(url);
  assert.deepEqual([removed.status, removed.body], [200, body]);
  assert.equal((await group.owner.delete(url)).status, 404);
  assert.equal((await group.owner.get(url)).status, 404);
  await protect(project, 'review/a');
  const gone = await project.owner.delete(`${project.at}/protected_environments/review%2Fa`);
  assert.deepEqual([gone.status, gone.text], [204, '']);
  assert.deepEqual((await project.owner.get(`${project.at}/protected_environments`)).body, []);
});
