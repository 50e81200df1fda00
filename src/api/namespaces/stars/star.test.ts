import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Project, world } from '#test/support/world.ts';
import { deleteStarBatch } from './store.ts';

const { user, newProject, newGroup, runJobs, root, anonymous, server } = await world();

const star = (caller: Caller, { at }: Project) => caller.post(`${at}/star`);
const getStarCount = async ({ at }: Project) => (await root.get(at)).body.star_count;

test('counts a star once and returns 304 for a second one', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const first = await star(guest, project);
  assert.deepEqual([first.status, first.body.star_count], [201, 1]);
  const again = await star(guest, project);
  assert.deepEqual([again.status, again.text], [304, '']);
  assert.equal((await star(owner, project)).body.star_count, 2);
  const taken = await guest.post(`${project.at}/unstar`);
  assert.deepEqual([taken.status, taken.body.star_count], [201, 1]);
  const none = await guest.post(`${project.at}/unstar`);
  assert.deepEqual([none.status, none.text], [304, '']);
  assert.equal(await getStarCount(project), 1);
});

test('finds starrers by a part of their names', async () => {
  const project = await newProject({ owner: root, visibility: 'public' });
  const [first, second] = [await user(), await user()];
  for (const caller of [first, second]) await star(caller, project);
  const list = async (search: string) =>
    (await anonymous.get(`${project.at}/starrers`, { search })).body.map(
      (starrer: { user: { id: number } }) => starrer.user.id,
    );
  assert.deepEqual(await list(first.username.toUpperCase()), [first.id]);
  assert.deepEqual(await list(''), [second.id, first.id]);
  assert.deepEqual(await list('nobody has this name'), []);
});

test('requires a signed-in caller who can see the project', async () => {
  const project = await newProject({ owner: await user() });
  assert.deepEqual((await star(await user(), project)).body, { message: '404 Project Not Found' });
  assert.equal((await star(anonymous, project)).status, 401);
  const open = await newProject({ owner: root, visibility: 'public' });
  assert.equal((await star(anonymous, open)).status, 401);
  assert.equal((await star(await user(), open)).status, 201);
});

test('loses no star in concurrent requests', async () => {
  const project = await newProject({ owner: root, visibility: 'public' });
  const people = await Promise.all(Array.from({ length: 6 }, () => user()));
  await Promise.all(people.flatMap((one) => [star(one, project), star(one, project)]));
  assert.equal(await getStarCount(project), 6);
  const [first, second, ...others] = people as [Caller, Caller, ...Caller[]];
  await Promise.all([first.post(`${project.at}/unstar`), second.post(`${project.at}/unstar`), star(root, project)]);
  assert.equal(await getStarCount(project), others.length + 1);
});

test('lists the users who starred a project, latest first', async () => {
  const project = await newProject({ owner: root, visibility: 'public' });
  const [ada, ben] = [await user(), await user()];
  await star(ada, project);
  await star(ben, project);
  const { body, headers } = await anonymous.get(`${project.at}/starrers`);
  assert.deepEqual(
    body.map((one: { user: { username: string } }) => one.user.username),
    [ben.username, ada.username],
  );
  assert.match(body[0].starred_since, /^2026-/);
  assert.equal(headers['x-total'], '2');
});

test('finds users who starred a project by a part of their name, or by their public address', async () => {
  const project = await newProject({ owner: root, visibility: 'public' });
  const [ada, ben] = [await user(), await user()];
  for (const one of [ada, ben]) await star(one, project);
  const [address, hiddenAddress] = [(await ada.get('/user')).body.email, (await ben.get('/user')).body.email];
  await root.put(`/users/${ada.id}`, { public_email: address });
  const find = async (search: string) =>
    (await anonymous.get(`${project.at}/starrers`, { search })).body.map(
      (one: { user: { username: string } }) => one.user.username,
    );
  assert.deepEqual(await find(ada.username.slice(1).toUpperCase()), [ada.username]);
  assert.deepEqual(await find(address), [ada.username]);
  assert.deepEqual(await find(hiddenAddress), []);
  assert.deepEqual(await find(''), [ben.username, ada.username]);
  assert.deepEqual(await find('%'), []);
});

test('hides stars of private profiles except from themselves and administrators', async () => {
  const project = await newProject({ owner: root, visibility: 'public' });
  const [ada, ben] = [await user(), await user()];
  await star(ada, project);
  assert.equal((await root.put(`/users/${ada.id}`, { private_profile: true })).status, 200);
  for (const [caller, many] of [
    [ben, 0],
    [anonymous, 0],
    [ada, 1],
    [root, 1],
  ] as const) {
    assert.equal((await caller.get(`${project.at}/starrers`)).body.length, many);
    assert.equal((await caller.get(`/users/${ada.id}/starred_projects`)).body.length, many);
  }
  assert.equal(await getStarCount(project), 1);
});

test('lists visible starred projects of a user with filters and order', async () => {
  const [ada, ben] = [await user(), await user()];
  const [open, closed] = [await newProject({ owner: ada, visibility: 'public' }), await newProject({ owner: ada })];
  await star(ada, open);
  await star(ada, closed);
  await star(ben, open);
  const idsFor = async (caller: Caller, path: string, params = {}) =>
    (await caller.get(path, params)).body.map(({ id }: { id: number }) => id);
  const path = `/users/${ada.username}/starred_projects`;
  assert.deepEqual(await idsFor(ada, path), [closed.id, open.id]);
  assert.deepEqual(await idsFor(ada, path, { order_by: 'star_count' }), [open.id, closed.id]);
  assert.deepEqual(await idsFor(ada, path, { search: open.name }), [open.id]);
  assert.deepEqual(await idsFor(ben, path), [open.id]);
  assert.deepEqual(await idsFor(ben, '/projects', { starred: true }), [open.id]);
  assert.deepEqual(await idsFor(anonymous, '/projects', { starred: true }), []);
  assert.deepEqual((await ben.get('/users/987654/starred_projects')).body, { message: '404 User Not Found' });
  const unpaired = await ben.get(path, { updated_after: '2026-01-01' });
  assert.equal(unpaired.status, 400);
});

test('orders projects by star count', async () => {
  const group = await newGroup({ owner: root });
  const [one, two, three] = [
    await newProject({ in: group }),
    await newProject({ in: group }),
    await newProject({ in: group, visibility: 'private' }),
  ];
  await star(root, two);
  const listed = async (sort: string) => {
    const { body } = await root.get('/projects', {
      order_by: 'star_count',
      sort,
      search: group.path,
      search_namespaces: true,
    });
    return body.map(({ id }: { id: number }) => id);
  };
  assert.deepEqual(await listed('desc'), [two.id, three.id, one.id]);
  assert.deepEqual(await listed('asc'), [one.id, three.id, two.id]);
});

test('deletes the stars of a deleted user and of a destroyed project', async () => {
  const [kept, gone] = [
    await newProject({ owner: root, visibility: 'public' }),
    await newProject({ owner: root, visibility: 'public' }),
  ];
  const [ada, ben] = [await user(), await user()];
  for (const one of [ada, ben]) await star(one, kept);
  await star(ada, gone);
  assert.equal((await root.delete(gone.at)).status, 202);
  const { path_with_namespace: full_path } = (await root.get(gone.at)).body;
  assert.equal((await root.delete(gone.at, { permanently_remove: true, full_path })).status, 202);
  assert.deepEqual((await root.get(`/users/${ada.id}/starred_projects`)).body.length, 1);
  assert.equal((await root.delete(`/users/${ada.id}`)).status, 204);
  assert.equal((await root.get(`${kept.at}/starrers`)).body.length, 1);
  await runJobs();
  assert.equal(await getStarCount(kept), 1);
});

test('deletes very many stars in batches and lowers each count', async () => {
  const projects = [1, 2, 3].map(() => newProject({ owner: root, visibility: 'public' }));
  const [ada, ben] = [await user(), await user()];
  for (const project of await Promise.all(projects)) for (const one of [ada, ben]) await star(one, project);
  const removed: number[] = [];
  for (let times = 0; times < 3; times++) {
    removed.push(await server.services.database.transaction((tx) => deleteStarBatch(tx, ada.id, 2)));
  }
  assert.deepEqual(removed, [2, 1, 0]);
  assert.deepEqual(await Promise.all(projects.map(async (project) => getStarCount(await project))), [1, 1, 1]);
});
