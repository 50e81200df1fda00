import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// contract/runners.md §4.5: who sees variables, and which one a call means.

const here = await world({ project: { with: ['developer', 'maintainer'] } });
const { project, developer, maintainer, root, anonymous } = here;

test('returns no variables while pipelines are disabled', async () => {
  const closed = await here.newProject();
  await expectSuccess(closed.owner.put(closed.at, { builds_access_level: 'disabled' }));
  for (const caller of [closed.owner, root]) {
    const { status, body } = await caller.get(`${closed.at}/variables`);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  }
});

test('allows Maintainers of a project and Owners of a group to manage variables', async () => {
  const group = await here.newGroup({ with: ['maintainer'] });
  const stranger = await here.user();
  for (const [caller, at, status] of [
    [developer, project.at, 403],
    [maintainer, project.at, 200],
    [stranger, project.at, 404],
    [anonymous, project.at, 401],
    [group.maintainer, group.at, 403],
    [group.owner, group.at, 200],
    [project.owner, '/admin/ci', 403],
    [root, '/admin/ci', 200],
  ] as const) {
    assert.equal((await caller.get(`${at}/variables`)).status, status, at);
  }
});

test('lists variables in pages, oldest first', async () => {
  const { at, owner } = await here.newProject();
  for (const key of ['B', 'A', 'C']) await owner.post(`${at}/variables`, { key, value: key });
  const { body, headers } = await owner.get(`${at}/variables`, { per_page: 2 });
  assert.deepEqual(
    body.map(({ value }: { value: string }) => value),
    ['B', 'A'],
  );
  assert.deepEqual([headers['x-total'], headers['x-next-page']], ['3', '2']);
});

test('selects one of several variables with the same key by the scope filter', async () => {
  for (const { at, owner } of [await here.newProject(), await here.newGroup()]) {
    for (const environment_scope of ['*', 'review/*']) {
      await expectSuccess(owner.post(`${at}/variables`, { key: 'K', value: environment_scope, environment_scope }));
    }
    const several = {
      message: "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
    };
    const path = `${at}/variables/K`;
    for (const answer of [await owner.get(path), await owner.put(path, { value: 'x' }), await owner.delete(path)]) {
      assert.deepEqual([answer.status, answer.body], [409, several]);
    }
    const filter = { environment_scope: 'review/*' };
    assert.equal((await owner.get(path, { 'filter[environment_scope]': 'review/*' })).body.value, 'review/*');
    assert.equal((await owner.put(path, { value: 'changed', filter })).body.environment_scope, 'review/*');
    assert.equal((await owner.get(path, { 'filter[environment_scope]': '*' })).body.value, '*');
    assert.equal((await owner.get(path, { 'filter[environment_scope]': 'review/a' })).status, 404);
    assert.equal((await owner.delete(path, { 'filter[environment_scope]': 'review/*' })).status, 204);
    assert.equal((await owner.get(path)).body.value, '*');
  }
});

test('returns 404 for a missing variable with a message for its kind', async () => {
  const group = await here.newGroup();
  for (const [at, thing] of [
    [project.at, 'Variable'],
    [group.at, 'GroupVariable'],
    ['/admin/ci', 'InstanceVariable'],
  ] as const) {
    for (const ask of [root.get, root.put, root.delete]) {
      const { status, body } = await ask.call(root, `${at}/variables/NOBODY%20HAS%20IT`);
      assert.deepEqual([status, body], [404, { message: `404 ${thing} Not Found` }]);
    }
  }
});
