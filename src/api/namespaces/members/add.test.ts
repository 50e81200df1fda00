import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns a member with its creator, and the email address to administrators', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const group = await testWorld.newGroup({ owner: ada });
  const params = { user_id: bob.id, access_level: 30, expires_at: '2026-05-01' };
  const { status, body } = await ada.post(`${group.at}/members`, params);
  assert.equal(status, 201);
  const { avatar_url, web_url, created_by, ...rest } = body;
  assert.ok(avatar_url && web_url);
  assert.equal(created_by.username, ada.username);
  assert.deepEqual(rest, {
    id: bob.id,
    username: bob.username,
    public_email: null,
    name: `Name of ${bob.username}`,
    state: 'active',
    locked: false,
    access_level: 30,
    created_at: '2026-01-02T03:04:05.000Z',
    expires_at: '2026-05-01',
    membership_state: 'active',
  });
  const seen = await testWorld.root.get(`${group.at}/members/${bob.id}`);
  assert.equal(seen.body.email, `${bob.username}@hearth.test`);
  assert.equal((await testWorld.anonymous.get(`${group.at}/members`)).status, 401);
});

type Refusal = readonly [params: Readonly<Record<string, unknown>>, status: number, body: unknown];

/** A subgroup of a group whose Developer is bob; eve is a member of neither. */
async function createGroups() {
  const testWorld = await world();
  const [ada, bob, eve] = [await testWorld.user(), await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  await top.addMember('developer', bob);
  const assertRefused = async (refused: readonly Refusal[]) => {
    const path = `${low.at}/members`;
    for (const [params, status, body] of refused) {
      const answer = await ada.post(path, params);
      assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(params));
    }
    assert.equal((await ada.get(path)).body.length, 1);
  };
  return { ada, bob, eve, top, assertRefused };
}

test('rejects unknown users and existing members', async () => {
  const { ada, assertRefused } = await createGroups();
  await assertRefused([
    [{ user_id: 99_999, access_level: 10 }, 404, { message: '404 User Not Found' }],
    [{ user_id: ada.id, access_level: 10 }, 409, { message: 'Member already exists' }],
    [{ username: 'ghost', access_level: 10 }, 404, { message: '404 User Not Found' }],
  ]);
});

test('rejects unknown roles, roles below the inherited one, and past expiry dates', async () => {
  const { bob, eve, top, assertRefused } = await createGroups();
  const below = `should be greater than or equal to Developer inherited membership from group ${top.name}`;
  await assertRefused([
    [{ user_id: eve.id, access_level: 17 }, 400, { message: { access_level: ['is not included in the list'] } }],
    [{ user_id: bob.id, access_level: 20 }, 400, { message: { access_level: [below] } }],
    [
      { user_id: eve.id, access_level: 10, expires_at: '2026-01-01' },
      400,
      { message: { expires_at: ['cannot be a date in the past'] } },
    ],
  ]);
});

test('requires a role and exactly one way to name the user', async () => {
  const { group, owner } = await world({ group: {} });
  const wrong: [params: Record<string, unknown>, status: number, body: unknown][] = [
    [{ access_level: 10 }, 400, { error: 'user_id, username are missing, at least one parameter must be provided' }],
    [{ user_id: 1, username: 'x', access_level: 10 }, 400, { error: 'user_id, username are mutually exclusive' }],
    [{ user_id: 1 }, 400, { error: 'access_level is missing' }],
  ];
  for (const [sent, status, body] of wrong) {
    const answer = await owner.post(`${group.at}/members`, sent);
    assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(sent));
  }
});

test('allows a direct membership with the same role as the inherited one', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  await top.addMember('developer', bob);
  const path = `${low.at}/members`;
  assert.equal((await ada.post(path, { user_id: bob.id, access_level: 30 })).status, 201);
});

test('reports which users of a list were not added', async () => {
  const testWorld = await world();
  const [ada, bob, eve] = [await testWorld.user(), await testWorld.user(), await testWorld.user()];
  const group = await testWorld.newGroup({ owner: ada });
  const path = `${group.at}/members`;
  const first = await ada.post(path, { user_id: `${bob.id}, ${eve.id}`, access_level: 20 });
  assert.deepEqual([first.status, first.body], [201, { status: 'success' }]);
  const again = await ada.post(path, { username: `${bob.username},nobody-at-all`, access_level: 20 });
  assert.deepEqual(again.body, {
    status: 'error',
    message: { [bob.username]: 'Member already exists', 'nobody-at-all': 'User not found' },
  });
});

test('returns 404 for an empty list of users', async () => {
  const { project, owner } = await world({ project: {} });
  for (const users of [{ user_id: '' }, { user_id: null }, { username: [] }]) {
    const answer = await owner.post(`${project.at}/members`, { ...users, access_level: 30 });
    assert.deepEqual([answer.status, answer.body], [404, { message: '404 User Not Found' }]);
  }
});
