import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

// The maximum offset of users and groups (contract/conventions.md §6).

const refusal = (type: string, limit = 50_000) => ({
  error: `Offset pagination has a maximum allowed offset of ${limit} for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`,
});

async function check(caller: Caller, path: string, type: string, rows: readonly (readonly [string, boolean])[]) {
  for (const [query, fits] of rows) {
    const answer = await caller.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    const told = `${path} ${query}`;
    if (fits) assert.deepEqual([answer.status, answer.body], [200, []], told);
    else assert.deepEqual([answer.status, answer.body], [405, refusal(type)], told);
  }
}

const ROWS = [
  ['page=50000&per_page=1', true],
  ['page=50001&per_page=1', false],
  ['page=2500', true],
  ['page=2501', false],
  ['page=2500&per_page=-1', true],
  ['page=2501&per_page=-1', false],
  ['page=500&per_page=101', true],
  ['page=501&per_page=101', false],
  ['page=9007199254740991&per_page=100', false],
] as const;

test('applies the offset limit to the effective page numbers, regardless of the number of rows', async () => {
  const { root, user, anonymous } = await world();
  await check(root, '/users', 'User', ROWS);
  await check(await user(), '/users?search=nobody', 'User', ROWS);
  await check(anonymous, '/users?username=nobody', 'User', ROWS);
  await check(anonymous, '/groups', 'Group', ROWS);
});

test('does not limit the offset of groups for signed-in callers, nor that of projects', async () => {
  const { root, user, anonymous } = await world();
  const far = ROWS.map(([query]) => [query, true] as const);
  await check(root, '/groups', 'Group', far);
  await check(await user(), '/groups', 'Group', far);
  await check(anonymous, '/projects', 'Project', far);
});

test('does not limit keyset pages, and limits HEAD like GET', async () => {
  const { root, anonymous } = await world();
  const far = { page: 50_001, per_page: 1 };
  assert.equal((await root.get('/users', { ...far, pagination: 'keyset' })).status, 200);
  assert.equal((await anonymous.get('/groups', { ...far, pagination: 'keyset' })).status, 200);
  assert.equal((await root.head('/users', far)).status, 405);
});

test('checks permissions before the offset limit', async () => {
  const { anonymous } = await world();
  assert.equal((await anonymous.get('/users', { page: 50_001, per_page: 1 })).status, 403);
  assert.equal((await anonymous.get('/groups', { page: 50_001, per_page: 0 })).status, 400);
});

test('changes of the setting apply immediately, the error names it, and 0 disables it', async () => {
  const { root, anonymous } = await world();
  const set = (limit: number) => root.put('/application/settings', { offset_pagination_limit: limit });
  await set(40);
  assert.equal((await root.get('/users', { page: 2 })).status, 200);
  for (const [caller, path, type] of [
    [root, '/users', 'User'],
    [anonymous, '/groups', 'Group'],
  ] as const) {
    const answer = await caller.get(path, { page: 3 });
    assert.deepEqual([answer.status, answer.body], [405, refusal(type, 40)]);
  }
  await set(0);
  assert.equal((await root.get('/users', { page: 9_007_199_254_740_991, per_page: 100 })).status, 200);
  await set(50_000);
});
