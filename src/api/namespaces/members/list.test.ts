import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { createMembership, toGroupSource } from '#domain/members/memberships.ts';
import { createNamespace } from '#domain/namespaces/namespaces.ts';
import { world } from '#test/support/world.ts';

const levels = (body: { username: string; access_level: number }[]) =>
  Object.fromEntries(body.map(({ username, access_level }) => [username, access_level]));

test('distinguishes direct and all members and uses the highest level', async () => {
  const testWorld = await world();
  const [ada, bob, eve] = [await testWorld.user(), await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const project = await testWorld.newProject({ in: low });
  await ada.post(`${top.at}/members`, { username: bob.username.toUpperCase(), access_level: 20 });
  await low.addMember('developer', bob);
  await project.addMember('maintainer', bob);
  await project.addMember('guest', eve);
  const list = async (path: string) => levels((await ada.get(path)).body);
  assert.deepEqual(await list(`${low.at}/members`), { [ada.username]: 50, [bob.username]: 30 });
  assert.deepEqual(await list(`${project.at}/members`), { [bob.username]: 40, [eve.username]: 10 });
  const all = { [ada.username]: 50, [bob.username]: 40, [eve.username]: 10 };
  assert.deepEqual(await list(`${project.at}/members/all`), all);
  assert.deepEqual(await list(`${low.at}/members/all`), { [ada.username]: 50, [bob.username]: 30 });
  assert.equal((await ada.get(`${project.at}/members/${ada.id}`)).status, 404);
  assert.deepEqual((await ada.get(`${project.at}/members/${ada.id}`)).body, { message: '404 Not found' });
  assert.equal((await ada.get(`${project.at}/members/all/${ada.id}`)).body.access_level, 50);
  const users = await eve.get(`${project.at}/users`, { search: eve.username.toUpperCase() });
  assert.deepEqual(
    users.body.map((user: { id: number }) => user.id),
    [eve.id],
  );
  assert.equal(users.headers['x-total'], '1');
  const few = await ada.get(`${project.at}/members/all`, { skip_users: `${ada.id},${eve.id}` });
  assert.deepEqual(levels(few.body), { [bob.username]: 40 });
  const some = await ada.get(`${project.at}/members/all`, { user_ids: [eve.id] });
  assert.deepEqual(levels(some.body), { [eve.username]: 10 });
});

test('treats all members as active', async () => {
  const { project, owner } = await world({ project: {} });
  for (const path of [`${project.at}/members`, `${project.at}/members/all`]) {
    const list = async (params: Record<string, unknown>) => levels((await owner.get(path, params)).body);
    assert.deepEqual(await list({ state: 'active' }), { [owner.username]: 50 });
    assert.deepEqual(await list({ state: 'awaiting' }), {});
    assert.deepEqual(await list({ skip_users: [owner.id] }), {});
    const bad = await owner.get(path, { state: 'created' });
    assert.deepEqual([bad.status, bad.body], [400, { error: 'state does not have a valid value' }]);
  }
});

test('lists users of a public project to everybody, and of others to those who can see them', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const open = await testWorld.newProject({
    in: await testWorld.newGroup({ owner: ada, visibility: 'public' }),
    visibility: 'public',
  });
  const closed = await testWorld.newProject({ owner: ada });
  const { status, body } = await testWorld.anonymous.get(`${open.at}/users`);
  assert.deepEqual([status, body.map(({ id }: { id: number }) => id)], [200, [ada.id]]);
  assert.deepEqual((await testWorld.anonymous.get(`${open.at}/users`, { skip_users: ada.id })).body, []);
  assert.deepEqual((await testWorld.anonymous.get(`${closed.at}/users`)).body, { message: '404 Project Not Found' });
  assert.equal((await testWorld.anonymous.get(`${open.at}/members`)).status, 401);
});

test('hides the members of a group from callers who see it only through its contents', async () => {
  const testWorld = await world();
  const [ada, bob] = [await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  await low.addMember('developer', bob);
  assert.equal((await bob.get(top.at)).status, 200);
  for (const path of ['members', 'members/all', `members/${ada.id}`, `members/all/${ada.id}`]) {
    assert.deepEqual((await bob.get(`${top.at}/${path}`)).body, { message: '403 Forbidden' }, path);
  }
  assert.equal((await bob.delete(`${top.at}/members/${ada.id}`)).status, 403);
  assert.equal((await bob.get(`${low.at}/members/all`)).status, 200);
});

test('lists a member of several parent groups once, ordered by user, on every page', async () => {
  const testWorld = await world();
  const [ada, bob, eve] = [await testWorld.user(), await testWorld.user(), await testWorld.user()];
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const project = await testWorld.newProject({ in: low });
  for (const place of [top, low, project]) await place.addMember('guest', bob);
  await low.addMember('developer', eve);
  const page = async (number: number) => {
    const { body, headers } = await ada.get(`${project.at}/members/all`, { page: number, per_page: 2 });
    return [body.map(({ id }: { id: number }) => id), headers['x-total'], headers['x-next-page']];
  };
  assert.deepEqual(await page(1), [[ada.id, bob.id], '3', '2']);
  assert.deepEqual(await page(2), [[eve.id], '3', '']);
  assert.deepEqual(await page(3), [[], '3', '']);
});

test('searches very many members by name and counts up to 10,000', async () => {
  const { group, owner, server } = await world({ group: {} });
  await server.services.database.transaction((tx) => addManyMembers(tx, group.id));
  const found = async (query: string) => {
    const { body, headers } = await owner.get(`${group.at}/members/all`, { query, per_page: 2, page: 2 });
    return [body.map(({ username }: { username: string }) => username), headers['x-total']];
  };
  assert.deepEqual(await found('crowd-'), [['crowd-3', 'crowd-4'], undefined]);
  assert.deepEqual(await found('ODD'), [['crowd-5', 'crowd-7'], '5025']);
  assert.deepEqual(await found('owd-1004'), [['crowd-10041', 'crowd-10042'], '11']);
  assert.deepEqual(await found('d-10050'), [[], '1']);
  assert.deepEqual(await found('nobody of them'), [[], '0']);
});

test('finds members of parent groups when searching the users of a project', async () => {
  const { group, owner, newGroup, newProject } = await world({ group: {} });
  const project = await newProject({ in: await newGroup({ in: group, owner }) });
  const found = async (at: string) => {
    const { body, headers } = await owner.get(`${at}/users`, { search: owner.username });
    return [body.map(({ id }: { id: number }) => id), headers['x-total']];
  };
  assert.deepEqual(await found(project.at), [[owner.id], '1']);
  const own = await newProject({ owner });
  assert.deepEqual(await found(own.at), [[owner.id], '1']);
  const { body } = await owner.get(`${own.at}/users`, { search: 'nobody of them' });
  assert.deepEqual(body, []);
});

/** 10,050 members of the group, every second of them named odd. */
async function addManyMembers(tx: Transaction, groupId: number): Promise<void> {
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10050)`;
  await sql`insert into users (username, username_key, name, name_key, email, email_key, projects_limit, state, bio, created_at, updated_at)
    ${numbers} select 'crowd-' || i, 'crowd-' || i, '', case when i % 2 = 1 then 'odd' else 'even' end, i || '@crowd.test',
      i || '@crowd.test', 0, 'active', '', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`.execute(tx);
  await sql`insert into memberships (user_id, source_type, source_id, access_level, created_at, updated_at)
    select id, 'group', ${groupId}, 10, created_at, updated_at from users where username_key like 'crowd-%'`.execute(
    tx,
  );
}

/** Returns the id of a group with this number of ancestors, the outermost of which is given. */
async function createDeepGroup(tx: Transaction, outermost: number, length: number): Promise<number> {
  let parent = outermost;
  for (let depth = 1; depth <= length; depth++) {
    const path = `d${depth}`;
    const row = { kind: 'group', owner_id: null, parent_id: parent, visibility: 'private' } as const;
    const location = { full_path: `deep-${outermost}-${depth}`, full_name: path };
    parent = await createNamespace(tx, { ...row, path, name: path }, location);
  }
  return parent;
}

test('lists all members of a deeply nested group once, ordered by id', async () => {
  const { newGroup, user, server } = await world();
  const [ada, bob] = [await user(), await user()];
  const top = await newGroup({ owner: ada });
  await top.addMember('guest', bob);
  const deep = await server.services.database.transaction(async (tx) => {
    const id = await createDeepGroup(tx, top.id, 300);
    await createMembership(tx, toGroupSource(id), { userId: bob.id, accessLevel: 30, createdById: null });
    return id;
  });
  const all = await ada.get(`/groups/${deep}/members/all`, { per_page: 1, page: 2 });
  assert.equal(all.status, 200);
  assert.deepEqual(levels(all.body), { [bob.username]: 30 });
  assert.equal(all.headers['x-total'], '2');
  const found = await ada.get(`/groups/${deep}/members/all`, { query: ada.username });
  assert.deepEqual(levels(found.body), { [ada.username]: 50 });
});
