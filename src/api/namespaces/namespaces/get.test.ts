import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

test('returns the counts of a namespace', async () => {
  const { user } = await world();
  const [ada, bob] = [await user(), await user()];
  const top = await newGroup({ owner: ada });
  const low = await newGroup({ owner: ada, name: 'low', path: 'low', in: top });
  const project = await newProject({ owner: ada, name: 'p', in: low });
  await project.addMember('developer', bob);
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

test('counts a member once and ignores expired memberships', async () => {
  const { user, server } = await world();
  const [ada, bob, eve] = [await user(), await user(), await user()];
  const top = await newGroup({ owner: ada });
  const low = await newGroup({ in: top });
  const project = await newProject({ in: low });
  for (const place of [low, project]) await place.addMember('guest', bob);
  await project.addMember('guest', eve);
  const counted = async (group: { full_path: string }) => {
    const { body } = await ada.get(`/namespaces/${encodeURIComponent(group.full_path)}`);
    return [body.members_count_with_descendants, body.billable_members_count];
  };
  assert.deepEqual(
    [await counted(top), await counted(low)],
    [
      [2, 3],
      [2, 3],
    ],
  );
  await server.services.database.transaction((tx) =>
    tx
      .updateTable('memberships')
      .set({ expires_at: '2020-01-01' })
      .where('source_type', '=', 'group')
      .where('user_id', '=', bob.id)
      .execute(),
  );
  assert.deepEqual(
    [await counted(top), await counted(low)],
    [
      [1, 3],
      [1, 3],
    ],
  );
});

test('returns fewer fields to callers who do not own the namespace', async () => {
  const { user } = await world();
  const ada = await user();
  const low = await newGroup({ owner: ada, in: await newGroup({ owner: ada }) });
  const project = await newProject({ in: low });
  const bob = await project.addMember('developer');
  const seen = (await bob.get(`/namespaces/${encodeURIComponent(low.full_path)}`)).body;
  assert.equal('members_count_with_descendants' in seen, false);
  const own = (await ada.get(`/namespaces/${ada.username.toUpperCase()}`)).body;
  assert.deepEqual([own.kind, own.projects_count, own.billable_members_count], ['user', 0, 1]);
  assert.match(own.web_url, new RegExp(`/${ada.username}$`));
});

test('counts only projects that the caller can see', async () => {
  const top = await newGroup({ visibility: 'public' });
  const project = await newProject({ owner: top.owner, in: top });
  await newProject({ owner: top.owner, in: await newGroup({ owner: top.owner, in: top }) });
  const bob = await project.addMember('guest');
  const counted = async (by: { get: typeof bob.get }) => (await by.get(`/namespaces/${top.id}`)).body.projects_count;
  assert.equal(await counted(bob), 1);
  assert.equal(await counted(top.owner), 2);
  assert.equal(await counted(await top.addMember('guest')), 2);
});

test('returns 404 for namespaces of others', async () => {
  const { user, root } = await world();
  const [ada, bob] = [await user(), await user()];
  const open = await newGroup({ owner: ada, name: 'o', visibility: 'public' });
  for (const id of [ada.username, open.path, open.id, 99_999, '99999999999999999999', 'nowhere']) {
    const { status, body } = await bob.get(`/namespaces/${id}`);
    assert.deepEqual([status, body], [404, { message: '404 Namespace Not Found' }], String(id));
  }
  assert.equal((await root.get(`/namespaces/${ada.username}`)).body.path, ada.username);
});
