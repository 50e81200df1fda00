import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';
import { markHistory, recordedSince } from '../../../history/index.ts';

const levels = (body: { username: string; access_level: number }[]) =>
  Object.fromEntries(body.map(({ username, access_level }) => [username, access_level]));

test('a member is shown with who added it; the address is for administrators', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const group = await here.newGroup({ owner: ada });
  const params = { user_id: bob.id, access_level: 30, expires_at: '2026-05-01' };
  const { status, body } = await ada.post(`/groups/${group.id}/members`, params);
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
  const seen = await here.root.get(`/groups/${group.id}/members/${bob.id}`);
  assert.equal(seen.body.email, `${bob.username}@hearth.test`);
  assert.equal((await here.anonymous.get(`/groups/${group.id}/members`)).status, 401);
});

test('direct members and all members differ; the highest level counts once', async () => {
  const here = await world();
  const [ada, bob, eve] = [await here.user(), await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const project = await here.newProject({ in: low });
  await ada.post(`/groups/${top.id}/members`, { username: bob.username.toUpperCase(), access_level: 20 });
  await low.add('developer', bob);
  await project.add('maintainer', bob);
  await project.add('guest', eve);
  const list = async (path: string) => levels((await ada.get(path)).body);
  assert.deepEqual(await list(`/groups/${low.id}/members`), { [ada.username]: 50, [bob.username]: 30 });
  assert.deepEqual(await list(`/projects/${project.id}/members`), { [bob.username]: 40, [eve.username]: 10 });
  const all = { [ada.username]: 50, [bob.username]: 40, [eve.username]: 10 };
  assert.deepEqual(await list(`/projects/${project.id}/members/all`), all);
  assert.deepEqual(await list(`/groups/${low.id}/members/all`), { [ada.username]: 50, [bob.username]: 30 });
  assert.equal((await ada.get(`/projects/${project.id}/members/${ada.id}`)).status, 404);
  assert.deepEqual((await ada.get(`/projects/${project.id}/members/${ada.id}`)).body, { message: '404 Not found' });
  assert.equal((await ada.get(`/projects/${project.id}/members/all/${ada.id}`)).body.access_level, 50);
  const users = await eve.get(`/projects/${project.id}/users`, { search: eve.username.toUpperCase() });
  assert.deepEqual(
    users.body.map((user: { id: number }) => user.id),
    [eve.id],
  );
  assert.equal(users.headers['x-total'], '1');
  const few = await ada.get(`/projects/${project.id}/members/all`, { skip_users: `${ada.id},${eve.id}` });
  assert.deepEqual(levels(few.body), { [bob.username]: 40 });
  const some = await ada.get(`/projects/${project.id}/members/all`, { user_ids: [eve.id] });
  assert.deepEqual(levels(some.body), { [eve.username]: 10 });
});

test('what is wrong with a new member', async () => {
  const here = await world();
  const [ada, bob, eve] = [await here.user(), await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  await top.add('developer', bob);
  const path = `/groups/${low.id}/members`;
  const refused: [params: Record<string, unknown>, status: number, body: unknown][] = [
    [{ user_id: 99_999, access_level: 10 }, 404, { message: '404 User Not Found' }],
    [{ user_id: ada.id, access_level: 10 }, 409, { message: 'Member already exists' }],
    [{ username: 'ghost', access_level: 10 }, 404, { message: '404 User Not Found' }],
    [{ user_id: eve.id, access_level: 17 }, 400, { message: { access_level: ['is not included in the list'] } }],
    [
      { user_id: bob.id, access_level: 20 },
      400,
      {
        message: {
          access_level: [`should be greater than or equal to Developer inherited membership from group ${top.name}`],
        },
      },
    ],
    [
      { user_id: eve.id, access_level: 10, expires_at: '2026-01-01' },
      400,
      { message: { expires_at: ['cannot be a date in the past'] } },
    ],
    [{ access_level: 10 }, 400, { error: 'user_id, username are missing, at least one parameter must be provided' }],
    [{ user_id: 1, username: 'x', access_level: 10 }, 400, { error: 'user_id, username are mutually exclusive' }],
    [{ user_id: 1 }, 400, { error: 'access_level is missing' }],
  ];
  for (const [params, status, body] of refused) {
    const answer = await ada.post(path, params);
    assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(params));
  }
  assert.equal((await ada.get(path)).body.length, 1);
  assert.equal((await ada.post(path, { user_id: bob.id, access_level: 30 })).status, 201);
});

test('a list of users tells who was not added', async () => {
  const here = await world();
  const [ada, bob, eve] = [await here.user(), await here.user(), await here.user()];
  const group = await here.newGroup({ owner: ada });
  const path = `/groups/${group.id}/members`;
  const first = await ada.post(path, { user_id: `${bob.id}, ${eve.id}`, access_level: 20 });
  assert.deepEqual([first.status, first.body], [201, { status: 'success' }]);
  const again = await ada.post(path, { username: `${bob.username},nobody-at-all`, access_level: 20 });
  assert.deepEqual(again.body, {
    status: 'error',
    message: { [bob.username]: 'Member already exists', 'nobody-at-all': 'User not found' },
  });
});

test('Maintainers of a project manage members up to their own level', async () => {
  const here = await world();
  const [ada, bob, eve] = [await here.user(), await here.user(), await here.user()];
  const project = await here.newProject({ owner: ada, visibility: 'public' });
  const path = `/projects/${project.id}/members`;
  assert.equal((await bob.post(path, { user_id: eve.id, access_level: 10 })).status, 403);
  await ada.post(path, { user_id: bob.id, access_level: 40 });
  assert.equal((await bob.post(path, { user_id: eve.id, access_level: 50 })).status, 403);
  assert.equal((await bob.post(path, { user_id: eve.id, access_level: 40 })).status, 201);
  assert.equal((await bob.put(`${path}/${eve.id}`, { access_level: 50 })).status, 403);
  assert.equal((await bob.put(`${path}/${ada.id}`, { access_level: 30 })).status, 403);
  assert.equal((await bob.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await eve.put(`${path}/${bob.id}`, { access_level: 30 })).status, 200);
  assert.equal((await bob.put(`${path}/${eve.id}`, { access_level: 30 })).status, 403);
});

test('the owner of a personal project stays', async () => {
  const here = await world();
  const ada = await here.user();
  const project = await here.newProject({ owner: ada });
  const path = `/projects/${project.id}/members/${ada.id}`;
  for (const caller of [ada, here.root]) {
    assert.equal((await caller.put(path, { access_level: 40 })).status, 403);
    assert.equal((await caller.delete(path)).status, 403);
  }
  assert.equal((await ada.get(path)).body.access_level, 50);
});

test('everybody may leave, but the last Owner of a top-level group', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const path = `/groups/${top.id}/members`;
  await ada.post(path, { user_id: bob.id, access_level: 10 });
  assert.equal((await bob.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await bob.delete(`${path}/${bob.id}`)).status, 204);
  assert.equal((await ada.put(`${path}/${ada.id}`, { access_level: 40 })).status, 403);
  assert.equal((await ada.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await here.root.delete(`${path}/${ada.id}`)).status, 403);
  assert.equal((await ada.delete(`/groups/${low.id}/members/${ada.id}`)).status, 204);
  assert.equal((await ada.get(`${path}/${ada.id}`)).status, 200);
});

test('two last Owners who remove one another leave one', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  for (let round = 0; round < 3; round++) {
    const group = await here.newGroup({ owner: ada });
    await group.add('owner', bob);
    const answers = await Promise.all([
      ada.delete(`/groups/${group.id}/members/${bob.id}`),
      bob.delete(`/groups/${group.id}/members/${ada.id}`),
      ada.put(`/groups/${group.id}/members/${ada.id}`, { access_level: 30 }),
      bob.put(`/groups/${group.id}/members/${bob.id}`, { access_level: 30 }),
    ]);
    const owners = (await here.root.get(`/groups/${group.id}/members`)).body.filter(
      (member: { access_level: number }) => member.access_level === 50,
    );
    assert.equal(owners.length, 1, answers.map(({ status }) => status).join());
  }
});

test('leaving a group ends the memberships below it, unless they are to stay', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const project = await here.newProject({ in: low });
  const places = [`/groups/${top.id}`, `/groups/${low.id}`, `/projects/${project.id}`];
  const addAll = async () => {
    for (const place of places) await ada.post(`${place}/members`, { user_id: bob.id, access_level: 30 });
  };
  const statuses = async () => {
    const answers = [];
    for (const place of places) answers.push((await here.root.get(`${place}/members/${bob.id}`)).status);
    return answers;
  };
  await addAll();
  await ada.delete(`/groups/${top.id}/members/${bob.id}`, { skip_subresources: true });
  assert.deepEqual(await statuses(), [404, 200, 200]);
  await addAll();
  const mark = await markHistory(here.server.rooms.database.reader);
  assert.equal((await ada.delete(`/groups/${top.id}/members/${bob.id}`)).status, 204);
  assert.deepEqual(await statuses(), [404, 404, 404]);
  assert.deepEqual(await recordedSince(here.server.rooms.database.reader, mark), [
    'left Project',
    'member_destroyed',
    'member_destroyed',
    'member_destroyed',
  ]);
});

test('a change of a member is recorded once, and only when something changed', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const project = await here.newProject({ owner: ada });
  const path = `/projects/${project.id}/members`;
  const { reader } = here.server.rooms.database;
  const mark = await markHistory(reader);
  await ada.post(path, { user_id: bob.id, access_level: 20 });
  await ada.put(`${path}/${bob.id}`, { access_level: 20 });
  await ada.put(`${path}/${bob.id}`, { access_level: 30, expires_at: '2026-03-01' });
  const kept = await ada.put(`${path}/${bob.id}`, { access_level: 40 });
  assert.equal(kept.body.expires_at, '2026-03-01');
  assert.equal((await ada.put(`${path}/${bob.id}`, { access_level: 40, expires_at: null })).body.expires_at, null);
  assert.deepEqual(await recordedSince(reader, mark), [
    'joined Project',
    'member_created',
    'member_updated',
    'member_updated',
    'member_updated',
  ]);
  const event = await reader
    .selectFrom('audit_events')
    .selectAll()
    .where('event_name', '=', 'member_updated')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const details = JSON.parse(event.details);
  assert.deepEqual(
    [details.as, details.expiry_from, details.expiry_to, details.target_id],
    ['Default role: Maintainer', '2026-03-01', null, bob.id],
  );
});

test('who sees a group only through something below it does not see its members', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  await low.add('developer', bob);
  assert.equal((await bob.get(`/groups/${top.id}`)).status, 200);
  for (const path of ['members', 'members/all', `members/${ada.id}`, `members/all/${ada.id}`]) {
    assert.deepEqual((await bob.get(`/groups/${top.id}/${path}`)).body, { message: '403 Forbidden' }, path);
  }
  assert.equal((await bob.delete(`/groups/${top.id}/members/${ada.id}`)).status, 403);
  assert.equal((await bob.get(`/groups/${low.id}/members/all`)).status, 200);
});

test('If-Unmodified-Since spares a member who was changed later', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const group = await here.newGroup({ owner: ada });
  const path = `/groups/${group.id}/members/${bob.id}`;
  await group.add('developer', bob);
  const stale = { 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  assert.deepEqual((await ada.delete(path, undefined, stale)).body, { message: '412 Precondition Failed' });
  assert.equal((await ada.get(path)).status, 200);
  assert.equal((await ada.delete(path, undefined, { 'If-Unmodified-Since': '2026-02-01T00:00:00Z' })).status, 204);
});
