import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

// Every list sorts by its key and then by id in the same direction (contract/conventions.md §6): each direction is the
// reverse of the other, and rows with equal keys have a fixed position.

const { root, user, name, newProject, newGroup } = await world();

type Row = { readonly id: number };

/** All rows in this order, page by page. */
async function listed(caller: Caller, path: string, order: object): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const { status, body, headers, text } = await caller.get(path, { ...order, per_page: 2, page });
    assert.equal(status, 200, text);
    rows.push(...body);
    if (headers['x-next-page'] === '') return rows;
  }
}

/** Both directions of an order of equal keys: the ids themselves decide. */
async function check(caller: Caller, path: string, up: object, down: object, isEqual: boolean): Promise<void> {
  const told = `${path} ${JSON.stringify(up)}`;
  const rising = (await listed(caller, path, up)).map(({ id }) => id);
  const falling = (await listed(caller, path, down)).map(({ id }) => id);
  assert.ok(rising.length >= 5, told);
  assert.equal(new Set(rising).size, rising.length, told);
  assert.deepEqual(falling, rising.toReversed(), told);
  if (isEqual)
    assert.deepEqual(
      rising,
      rising.toSorted((a, b) => a - b),
      told,
    );
}

const both = (order_by: string, more: object = {}) =>
  [
    { order_by, sort: 'asc', ...more },
    { order_by, sort: 'desc', ...more },
  ] as const;

test('lists projects in a total order for every order_by', async () => {
  const ada = await user();
  const word = name('same');
  const top = await newGroup({ owner: ada });
  for (let index = 0; index < 5; index++) {
    await newProject({ in: await newGroup({ in: top }), name: word, path: word });
  }
  const orders = ['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at'];
  for (const order of orders) {
    await check(ada, '/projects', ...both(order, { search: word }), true);
    await check(ada, `${top.at}/projects`, ...both(order, { include_subgroups: true }), true);
  }
  await check(ada, '/projects', ...both('similarity', { search: word }), true);
});

test('lists groups in a total order for every order_by', async () => {
  const ada = await user();
  const word = name('alike');
  for (let index = 0; index < 5; index++) {
    const top = await newGroup({ owner: ada });
    await newGroup({ in: top, name: word, path: word });
  }
  for (const order of ['id', 'name', 'path', 'similarity']) {
    await check(ada, '/groups', ...both(order, { search: word }), true);
  }
  await check(ada, '/groups', ...both('name'), false);
  await check(ada, '/groups', ...both('path'), false);
});

test('lists users in a total order for every order_by', async () => {
  const word = name('equal').replace('-', '');
  for (let index = 0; index < 5; index++) {
    const { id } = await user({ username: `${word}-${index}` });
    await root.put(`/users/${id}`, { name: 'Equal' });
  }
  for (const order of ['id', 'name', 'username', 'created_at', 'updated_at']) {
    await check(root, '/users', ...both(order, { search: word }), true);
  }
});

test('lists tokens in a total order for every order_by', async () => {
  const ada = await user();
  const project = (await newProject({ owner: ada })).id;
  const order = { name: 'same', scopes: ['api'], expires_at: '2026-05-05' };
  for (let index = 0; index < 5; index++) {
    await root.post(`/users/${ada.id}/personal_access_tokens`, order);
    await ada.post(`/projects/${project}/access_tokens`, order);
  }
  for (const key of ['created', 'expires', 'last_used', 'name']) {
    const [up, down] = [{ sort: `${key}_asc` }, { sort: `${key}_desc` }];
    // The token that the caller used comes before unused ones, in both directions.
    if (key !== 'last_used') await check(ada, '/personal_access_tokens', up, down, false);
    await check(ada, '/personal_access_tokens', { ...up, search: 'same' }, { ...down, search: 'same' }, true);
    await check(ada, `/projects/${project}/access_tokens`, up, down, true);
  }
});
