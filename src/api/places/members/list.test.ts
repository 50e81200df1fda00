import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const levels = (body: { username: string; access_level: number }[]) =>
  Object.fromEntries(body.map(({ username, access_level }) => [username, access_level]));

test('direct members and all members differ; the highest level counts once', async () => {
  const here = await world();
  const [ada, bob, eve] = [await here.user(), await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  const project = await here.newProject({ in: low });
  await ada.post(`${top.at}/members`, { username: bob.username.toUpperCase(), access_level: 20 });
  await low.add('developer', bob);
  await project.add('maintainer', bob);
  await project.add('guest', eve);
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

test('all members are active and none awaits anything', async () => {
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

test('anybody is told the users of a public project, and of others those who see them', async () => {
  const here = await world();
  const ada = await here.user();
  const open = await here.newProject({
    in: await here.newGroup({ owner: ada, visibility: 'public' }),
    visibility: 'public',
  });
  const closed = await here.newProject({ owner: ada });
  const { status, body } = await here.anonymous.get(`${open.at}/users`);
  assert.deepEqual([status, body.map(({ id }: { id: number }) => id)], [200, [ada.id]]);
  assert.deepEqual((await here.anonymous.get(`${open.at}/users`, { skip_users: ada.id })).body, []);
  assert.deepEqual((await here.anonymous.get(`${closed.at}/users`)).body, { message: '404 Project Not Found' });
  assert.equal((await here.anonymous.get(`${open.at}/members`)).status, 401);
});

test('who sees a group only through something below it does not see its members', async () => {
  const here = await world();
  const [ada, bob] = [await here.user(), await here.user()];
  const top = await here.newGroup({ owner: ada });
  const low = await here.newGroup({ in: top });
  await low.add('developer', bob);
  assert.equal((await bob.get(top.at)).status, 200);
  for (const path of ['members', 'members/all', `members/${ada.id}`, `members/all/${ada.id}`]) {
    assert.deepEqual((await bob.get(`${top.at}/${path}`)).body, { message: '403 Forbidden' }, path);
  }
  assert.equal((await bob.delete(`${top.at}/members/${ada.id}`)).status, 403);
  assert.equal((await bob.get(`${low.at}/members/all`)).status, 200);
});
