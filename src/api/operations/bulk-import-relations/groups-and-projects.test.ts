import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { createFromSource, createTestImport, findGroupForUser } from './fixtures.testing.ts';
import { group as groups, project as projects } from './groups-and-projects.ts';
import { members } from './users.ts';

// Groups, projects and their members.

const here = await world();
const { root } = here;

const some = (shown: Record<string, unknown>, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, shown[name]]));

test('imports all fields of a group and makes the importing user its Owner', async () => {
  const owner = await here.user();
  await expectSuccess(root.put(`/users/${owner.id}`, { can_create_group: true }));
  const attributes = {
    ...{ name: 'Tools & more', description: 'What', visibility: 'internal', lfs_enabled: false, emails_disabled: true },
    ...{ mentions_disabled: true, share_with_group_lock: true, request_access_enabled: false },
    ...{ require_two_factor_authentication: true, two_factor_grace_period: 7 },
    ...{ project_creation_level: 'noone', subgroup_creation_level: 'owner' },
  };
  const id = await createFromSource(
    here,
    owner,
    groups,
    { ...attributes, id: 4, path: 'Other', web_url: {} },
    { slug: 'Tools-It' },
  );
  const shown = (await owner.get(`/groups/${id}`)).body;
  assert.deepEqual(some(shown, attributes), attributes);
  assert.deepEqual([shown.full_path, shown.parent_id], ['tools-it', null]);
  const owners = (await owner.get(`/groups/${id}/members`)).body;
  assert.deepEqual(
    owners.map((one: Record<string, unknown>) => [one.id, one.access_level]),
    [[owner.id, 50]],
  );
});

test('ignores invalid optional fields of a group, but not name and visibility', async () => {
  const attributes = { name: 'One', visibility: 'private' };
  const odd = { description: [7], lfs_enabled: [], two_factor_grace_period: -1, project_creation_level: 'everybody' };
  const id = await createFromSource(here, root, groups, { ...attributes, ...odd });
  const { lfs_enabled, two_factor_grace_period, project_creation_level } = (await root.get(`/groups/${id}`)).body;
  assert.deepEqual([lfs_enabled, two_factor_grace_period, project_creation_level], [true, 48, 'developer']);
  assert.match(
    String(await createFromSource(here, root, groups, { ...attributes, visibility: 'secret' })),
    /visibility/,
  );
  assert.match(String(await createFromSource(here, root, groups, { visibility: 'private' })), /name/);
});

test('adds a number to a name that exists in the parent group', async () => {
  const parent = await here.newGroup({ visibility: 'public' });
  const { owner } = parent;
  const inIt = { parent: await findGroupForUser(here, owner, parent) };
  const attributes = { name: 'Tools', visibility: 'public', created_at: '2020-01-01T00:00:00Z' };
  const names = [];
  for (const kind of [groups, projects, groups, projects]) {
    const id = await createFromSource(here, owner, kind, attributes, { ...inIt, slug: here.name('it') });
    names.push((await owner.get(`/${kind.name}s/${id}`)).body.name);
  }
  assert.deepEqual(names, ['Tools', 'Tools_1', 'Tools_2', 'Tools_3']);
  assert.equal(typeof (await createFromSource(here, owner, groups, attributes, { ...inIt, slug: 'same' })), 'number');
  assert.equal(await createFromSource(here, owner, groups, attributes, { ...inIt, slug: 'SAME' }), 'failed');
  assert.equal(await createFromSource(here, owner, projects, attributes, { ...inIt, slug: 'Same' }), 'invalid');
});

test('limits visibility to the parent group and the instance settings, also for administrators', async () => {
  const parent = await here.newGroup({ visibility: 'internal', owner: root });
  const inIt = { parent: await findGroupForUser(here, root, parent) };
  const visibilityOf = async (kind: typeof groups, visibility: string) => {
    const attributes = { name: here.name('Thing'), visibility, created_at: '2020-01-01T00:00:00Z' };
    const id = await createFromSource(here, root, kind, attributes, { ...inIt, slug: here.name('it') });
    return (await root.get(`/${kind.name}s/${id}`)).body.visibility;
  };
  for (const kind of [groups, projects]) {
    const shown = [];
    for (const visibility of ['public', 'internal', 'private']) shown.push(await visibilityOf(kind, visibility));
    assert.deepEqual(shown, ['internal', 'internal', 'private']);
  }
  await expectSuccess(root.put('/application/settings', { restricted_visibility_levels: ['internal'] }));
  const restricted = [await visibilityOf(groups, 'public'), await visibilityOf(projects, 'public')];
  await expectSuccess(root.put('/application/settings', { restricted_visibility_levels: [] }));
  assert.deepEqual(restricted, ['private', 'private']);
});

test('imports all fields of a project and writes one event `imported`', async () => {
  const parent = await here.newGroup({ visibility: 'public' });
  const { owner } = parent;
  const attributes = {
    ...{ name: 'Api', description: 'What', visibility: 'public', topics: ['a', 'b'], archived: true },
    ...{ created_at: '2020-01-01T00:00:00.000Z', merge_method: 'ff' },
    ...{ issues_access_level: 'private', wiki_access_level: 'disabled', pages_access_level: 'public' },
    ...{ only_allow_merge_if_pipeline_succeeds: true, only_allow_merge_if_all_discussions_are_resolved: true },
  };
  const odd = { builds_access_level: 'sometimes', analytics_access_level: [9], prevent_merge_without_jira_issue: true };
  const destination = { parent: await findGroupForUser(here, owner, parent), slug: 'API' };
  const id = await createFromSource(
    here,
    owner,
    projects,
    { ...attributes, ...odd, default_branch: '../a' },
    destination,
  );
  const shown = (await owner.get(`/projects/${id}`)).body;
  assert.deepEqual(some(shown, { ...attributes, path: 'api' }), { ...attributes, path: 'api' });
  const events = (await owner.get(`/projects/${id}/events`)).body;
  const [event] = events;
  assert.deepEqual(
    [events.length, event.action_name, event.target_type, event.imported, event.imported_from],
    [1, 'imported', 'Project', true, 'gitlab_migration'],
  );
  const ids = (await owner.get('/projects', { imported: true, owned: true })).body.map((one: { id: number }) => one.id);
  assert.deepEqual([ids.includes(id), ids.includes((await here.newProject({ owner })).id)], [true, false]);
});

test('lets a Maintainer, but no Developer, import into a group without project creation', async () => {
  const parent = await here.newGroup({ with: ['maintainer', 'developer'], project_creation_level: 'noone' });
  const attributes = { name: 'Api', visibility: 'private', created_at: '2020-01-01T00:00:00Z' };
  const by = async (who: typeof root) => {
    return createFromSource(here, who, projects, attributes, { parent: await findGroupForUser(here, who, parent) });
  };
  assert.equal(typeof (await by(parent.maintainer)), 'number');
  assert.equal(await by(parent.developer), 'invalid');
  assert.equal(await createFromSource(here, root, projects, attributes), 'invalid');
});

test('limits members to the level of the importing user and skips members with the same or higher access', async () => {
  const parent = await here.newGroup({ with: ['reporter', 'guest'] });
  const project = await here.newProject({ in: parent });
  const maintainer = await project.addMember('maintainer');
  const [ada, grace, alan, kurt] = [await here.user(), await here.user(), await here.user(), await here.user()];
  const { reporter, guest } = parent;
  const people = { 1: ada.id, 2: grace.id, 3: reporter.id, 4: guest.id, 5: alan.id, 6: maintainer.id, 7: kurt.id };
  const of = await createTestImport(here, maintainer, project, { localUserIdsBySourceId: people });
  const member = (id: number, access_level: unknown, expires_at: string | null = null) => ({
    ...{ id, username: `u${id}`, name: 'U', access_level, expires_at },
  });
  const feed = async () => (await parent.owner.get(`${project.at}/events`)).body.length;
  const before = await feed();
  const elements = [
    ...[member(1, 50), member(2, 30, '2026-12-01'), member(3, 20), member(4, 20), member(5, 5), member(6, 50)],
    ...[member(7, 30, '2025-12-01'), member(8, 30), member(9, 'much')],
  ];
  assert.equal((await of.importElements(members, elements)).length, 1);
  const { body } = await parent.owner.get(`${project.at}/members`);
  const shown = body.map((one: Record<string, unknown>) => [one.id, one.access_level, one.expires_at]);
  const expected = [
    [guest.id, 20, null],
    [maintainer.id, 40, null],
    [ada.id, 40, null],
    [grace.id, 30, '2026-12-01'],
  ];
  assert.deepEqual(
    shown,
    expected.toSorted((one, other) => Number(one[0]) - Number(other[0])),
  );
  assert.equal(await feed(), before);
});

test('fetches inherited members for the requested entity and direct members for its children', async () => {
  const group = await here.newGroup();
  const asked = async (isChild: boolean) =>
    (await createTestImport(here, group.owner, group, { isChild })).getListPath(members);
  assert.deepEqual([await asked(false), await asked(true)], ['/groups/7/members/all', '/groups/7/members']);
  const unwanted = { migrateMemberships: false } as never;
  assert.equal(members.isEnabled?.(unwanted), false);
});
