import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

test('lists rules by id, in pages, filtered by a part of the name', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  for (const name of ['zeta', 'Beta-*', 'alpha']) await owner.post(url, { name });
  const names = async (params: object) => {
    const { body, headers } = await owner.get(url, { ...params });
    return [headers['x-total'], ...body.map((rule: { name: string }) => rule.name)];
  };
  assert.deepEqual(await names({}), ['4', 'main', 'zeta', 'Beta-*', 'alpha']);
  assert.deepEqual(await names({ search: 'ETA' }), ['2', 'zeta', 'Beta-*']);
  assert.deepEqual(await names({ search: '-*' }), ['1', 'Beta-*']);
  assert.deepEqual(await names({ search: 'nothing' }), ['0']);
  assert.deepEqual(await names({ per_page: 2, page: 2 }), ['4', 'Beta-*', 'alpha']);
});

test('lets code readers read rules and Maintainers update them', async () => {
  const { project, owner, user, anonymous } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  const cases: [caller: Caller, read: number, change: number][] = [
    [anonymous, 404, 404],
    [await user(), 404, 404],
    [await project.addMember('guest'), 403, 403],
    [await project.addMember('reporter'), 200, 403],
    [await project.addMember('developer'), 200, 403],
  ];
  for (const [caller, read, change] of cases) {
    assert.deepEqual([(await caller.get(url)).status, (await caller.get(`${url}/main`)).status], [read, read]);
    const changes = [
      await caller.post(url, { name: 'x' }),
      await caller.patch(`${url}/main`, { allow_force_push: true }),
      await caller.delete(`${url}/main`),
      await caller.delete(`${url}/unknown`),
    ];
    assert.deepEqual(
      changes.map(({ status }) => status),
      [change, change, change, change],
    );
  }
  assert.equal((await (await project.addMember('maintainer')).post(url, { name: 'x' })).status, 201);
  const [rule] = (await owner.get(url)).body;
  assert.deepEqual([rule.name, rule.allow_force_push], ['main', false]);
});

test('shows rules of public projects to everybody unless the repository is disabled', async () => {
  const { project, owner, anonymous } = await world({ project: { readme: true } });
  const url = `${project.at}/protected_branches`;
  await owner.put(project.at, { visibility: 'public' });
  assert.equal((await anonymous.get(`${url}/main`)).status, 200);
  assert.deepEqual((await anonymous.post(url, { name: 'x' })).body, { message: '401 Unauthorized' });
  await owner.put(project.at, { repository_access_level: 'disabled' });
  assert.deepEqual((await owner.get(url)).body, { message: '403 Forbidden' });
});
