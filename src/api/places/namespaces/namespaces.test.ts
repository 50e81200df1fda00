import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const { newProject, newGroup } = await world();

const kinds = (body: { path: string }[]) => body.map(({ path }) => path);

test('the own namespace and the own groups are listed', async () => {
  const { user, root, anonymous } = await world();
  const [ada, bob] = [await user(), await user()];
  const top = await newGroup({ owner: ada });
  const low = await newGroup({ owner: ada, name: 'low', path: 'low', in: top });
  await low.add('developer', bob);
  const project = await newProject({ owner: ada, name: 'p' });
  await project.add('developer', bob);
  assert.deepEqual(kinds((await bob.get('/namespaces')).body), [bob.username, top.path, 'low']);
  assert.deepEqual(kinds((await bob.get('/namespaces', { owned_only: true })).body), [bob.username]);
  assert.deepEqual(kinds((await ada.get('/namespaces', { owned_only: true })).body), [ada.username, top.path, 'low']);
  assert.deepEqual(kinds((await ada.get('/namespaces', { top_level_only: true })).body), [ada.username, top.path]);
  assert.deepEqual(kinds((await ada.get('/namespaces', { search: `${top.path}/LOW` })).body), ['low']);
  const everything = kinds((await root.get('/namespaces', { per_page: 100 })).body);
  for (const path of [ada.username, bob.username, top.path, 'low']) assert.ok(everything.includes(path), path);
  assert.equal((await anonymous.get('/namespaces')).status, 401);
});

test('a namespace tells what is in it', async () => {
  const { user } = await world();
  const [ada, bob] = [await user(), await user()];
  const top = await newGroup({ owner: ada });
  const low = await newGroup({ owner: ada, name: 'low', path: 'low', in: top });
  const project = await newProject({ owner: ada, name: 'p', in: low });
  await project.add('developer', bob);
  const { web_url, ...group } = (await ada.get(`/namespaces/${top.path}`)).body;
  assert.match(web_url, new RegExp(`/groups/${top.path}$`));
  assert.deepEqual(group, {
    id: top.id,
    name: top.name,
    path: top.path,
    kind: 'group',
    full_path: top.path,
    parent_id: null,
    avatar_url: null,
    members_count_with_descendants: 1,
    projects_count: 1,
    root_repository_size: null,
    billable_members_count: 2,
    plan: 'default',
    trial: false,
    trial_ends_on: null,
    shared_runners_minutes_limit: null,
    extra_shared_runners_minutes_limit: null,
  });
});

test('a namespace tells who does not own it less, and of a user his own', async () => {
  const { user } = await world();
  const ada = await user();
  const low = await newGroup({ owner: ada, in: await newGroup({ owner: ada }) });
  const project = await newProject({ in: low });
  const bob = await project.add('developer');
  const seen = (await bob.get(`/namespaces/${encodeURIComponent(low.full_path)}`)).body;
  assert.equal('members_count_with_descendants' in seen, false);
  const own = (await ada.get(`/namespaces/${ada.username.toUpperCase()}`)).body;
  assert.deepEqual([own.kind, own.projects_count, own.billable_members_count], ['user', 0, 1]);
  assert.match(own.web_url, new RegExp(`/${ada.username}$`));
});

test("others' namespaces are not found", async () => {
  const { user, root } = await world();
  const [ada, bob] = [await user(), await user()];
  const open = await newGroup({ owner: ada, name: 'o', visibility: 'public' });
  for (const id of [ada.username, open.path, open.id, 99_999, '99999999999999999999', 'nowhere']) {
    const { status, body } = await bob.get(`/namespaces/${id}`);
    assert.deepEqual([status, body], [404, { message: '404 Namespace Not Found' }], String(id));
  }
  assert.equal((await root.get(`/namespaces/${ada.username}`)).body.path, ada.username);
});

test('whether a path is taken, and what is free', async () => {
  const { user } = await world();
  const [ada, bob] = [await user(), await user()];
  const top = await newGroup({ owner: ada });
  await newGroup({ owner: ada, path: `${top.path}1` });
  await newGroup({ in: top, name: 'low', path: 'low' });
  const asked = async (path: string, params = {}, caller = ada) =>
    (await caller.get(`/namespaces/${path}/exists`, params)).body;
  assert.deepEqual(await asked(top.path.toUpperCase()), { exists: true, suggests: [`${top.path.toUpperCase()}2`] });
  assert.deepEqual(await asked(bob.username), { exists: true, suggests: [`${bob.username}1`] });
  assert.deepEqual(await asked('low'), { exists: false, suggests: [] });
  assert.deepEqual(await asked('low', { parent_id: top.id }), { exists: true, suggests: ['low1'] });
  assert.deepEqual(await asked('low', { parent_id: top.id }, bob), { exists: false, suggests: [] });
});
