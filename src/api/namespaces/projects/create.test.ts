import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { DatabaseUnavailable } from '#database/database.ts';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

test('returns a new personal project with all fields, its owner and no permissions', async () => {
  const { user, name } = await world();
  const mira = await user();
  const path = name('anvil');
  const answer = await mira.post('/projects', { name: `Big ${path}`, path, description: 'Hits <things>' });
  assert.equal(answer.status, 201, answer.text);
  const { body } = answer;
  assert.equal(body.path_with_namespace, `${mira.username}/${path}`);
  assert.equal(body.name_with_namespace, `Name of ${mira.username} / Big ${path}`);
  assert.equal(body.visibility, 'private');
  assert.equal(body.default_branch, 'main');
  assert.equal(body.empty_repo, true);
  assert.equal(body.readme_url, null);
  assert.equal(body.owner.username, mira.username);
  assert.equal(body.namespace.kind, 'user');
  assert.equal(body.description_html, '<p dir="auto">Hits &lt;things&gt;</p>');
  assert.equal('permissions' in body, false);
  assert.equal('repository_storage' in body, false);
  const read = await mira.get(`/projects/${body.id}`);
  assert.deepEqual(read.body, {
    ...body,
    permissions: { project_access: { access_level: 50, notification_level: 3 }, group_access: null },
  });
  assert.match(body.runners_token, /^GR1348941/);
  const updated = (await mira.put(`/projects/${body.id}`, { description: 'x' })).body;
  assert.equal(updated.runners_token, body.runners_token);
});

test('requires a name or a path and derives the other', async () => {
  const { user, name } = await world();
  const mira = await user();
  const nothing = await mira.post('/projects', { description: 'x' });
  assert.equal(nothing.status, 400);
  assert.deepEqual(nothing.body, { error: 'name, path are missing, at least one parameter must be provided' });
  const unique = name('Two');
  const named = await newProject({ owner: mira, name: `Two Words ${unique}` });
  assert.equal(named.path, `two-words-${unique.toLowerCase()}`);
  const path = name('only-path');
  const pathed = await newProject({ owner: mira, name: undefined, path });
  assert.equal(pathed.name, path);
});

test('reports names and paths that are taken in the namespace, ignoring case', async () => {
  const { user } = await world();
  const mira = await user();
  const first = await newProject({ owner: mira, name: 'First', path: 'first-path' });
  const taken = ['has already been taken'];
  const cases = [
    [
      { name: 'FIRST', path: 'FIRST-path' },
      { name: taken, path: taken },
    ],
    [{ name: 'first', path: 'another' }, { name: taken }],
    [{ name: 'Another', path: 'first-PATH' }, { path: taken }],
  ] as const;
  for (const [params, message] of cases) {
    const answer = await mira.post('/projects', params);
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(answer.body, { message });
  }
  const mine = await mira.get(`/users/${mira.id}/projects`);
  assert.deepEqual(
    mine.body.map(({ id }: { id: number }) => id),
    [first.id],
  );
});

test('lets exactly one of many concurrent requests create a project', async () => {
  const { user } = await world();
  const mira = await user();
  const answers = await Promise.all(Array.from({ length: 8 }, () => mira.post('/projects', { name: 'Only one' })));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 400, 400, 400, 400, 400, 400, 400]);
  const refused = answers.find(({ status }) => status === 400);
  assert.deepEqual(Object.values(refused?.body.message).flat()[0], 'has already been taken');
});

test('rejects invalid names, paths, build timeouts, branches and import URLs', async () => {
  const { user, name } = await world();
  const mira = await user();
  const pathText =
    "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
  const cases = [
    [{ path: 'x.git' }, { message: { path: [pathText] } }],
    [{ name: '' }, { message: { name: ["can't be blank"], path: ["can't be blank"] } }],
    [{ name: ' \u3000\n', path: 'blank' }, { message: { name: ["can't be blank"] } }],
    [{ name: '\u3164\u200b', path: 'invisible' }, { message: { name: ["can't be blank"] } }],
    [{ topics: ['a', 'b\nc'] }, { message: { topics: ['has characters that are not allowed'] } }],
    [{ topics: 't'.repeat(256) }, { message: { topics: ['is too long (maximum is 255 characters)'] } }],
    [{ topics: ['\n'.repeat(256)] }, { message: { topics: ['is too long (maximum is 255 characters)'] } }],
    [{ build_timeout: 599 }, { message: { build_timeout: ['needs to be between 10 minutes and 1 month'] } }],
    [{ build_timeout: 2629746 }, { message: { build_timeout: ['needs to be between 10 minutes and 1 month'] } }],
    [{ merge_method: 'squash' }, { error: 'merge_method does not have a valid value' }],
    [{ default_branch: 'a..b' }, { message: { default_branch: ['is not a valid branch name'] } }],
    [{ import_url: 'https://x.test/a.git' }, { message: '400 Bad request - import_url is not supported' }],
    [{ namespace_id: 987654 }, { message: { namespace: ['is not valid'] } }],
    [{ namespace_id: 'x' }, { error: 'namespace_id is invalid' }],
  ] as const;
  for (const [params, body] of cases) {
    const answer = await mira.post('/projects', { name: name('bad'), ...params });
    assert.equal(answer.status, 400, JSON.stringify(params));
    assert.deepEqual(answer.body, body);
  }
  assert.deepEqual((await mira.get(`/users/${mira.id}/projects`)).body, []);
});

test("checks the group's project_creation_level", async () => {
  const { user, name, root } = await world();
  const [owner, developer, maintainer, stranger] = [await user(), await user(), await user(), await user()];
  const group = await newGroup({ owner });
  await group.addMember('developer', developer);
  await group.addMember('maintainer', maintainer);
  const rows = [
    ['developer', [developer, maintainer, owner, root], [stranger]],
    ['maintainer', [maintainer, owner, root], [developer, stranger]],
    ['owner', [owner, root], [developer, maintainer]],
    ['administrator', [root], [owner, maintainer]],
    ['noone', [], [root, owner]],
  ] as const;
  for (const [project_creation_level, may, mayNot] of rows) {
    const set = await owner.put(group.at, { project_creation_level });
    assert.equal(set.status, 200, set.text);
    for (const caller of may) {
      const { status, body } = await caller.post('/projects', { name: name('project'), namespace_id: group.id });
      assert.equal(status, 201);
      assert.equal(body.namespace.id, group.id);
      assert.equal('owner' in body, false);
    }
    for (const caller of mayNot) {
      const answer = await caller.post('/projects', { name: 'No', namespace_id: group.id });
      assert.equal(answer.status, 400);
      assert.deepEqual(answer.body, { message: { namespace: ['is not valid'] } });
    }
  }
});

test('rejects projects in archived groups and in namespaces of others', async () => {
  const { user, owner, group } = await world({ group: {} });
  const stranger = await user();
  await owner.put(group.at, { project_creation_level: 'developer' });
  const below = await newGroup({ in: group });
  assert.equal((await owner.post(`${group.at}/archive`)).status, 200);
  for (const { id } of [group, below]) {
    const closed = await owner.post('/projects', { name: 'No', namespace_id: id });
    assert.deepEqual(closed.body, { message: { namespace: ['is not valid'] } });
  }
  const alien = await stranger.post('/projects', {
    name: 'No',
    namespace_id: (await newProject({ owner })).namespace.id,
  });
  assert.deepEqual(alien.body, { message: { namespace: ['is not valid'] } });
});

test("adds no member in a group, lowers the visibility and uses the group's default branch", async () => {
  const { group, owner } = await world({ group: { visibility: 'internal', default_branch: 'trunk' } });
  const project = await newProject({ in: group, visibility: 'public' });
  assert.equal(project.visibility, 'internal');
  assert.equal(project.default_branch, 'trunk');
  const read = await owner.get(project.at);
  assert.deepEqual(read.body.permissions, {
    project_access: null,
    group_access: { access_level: 50, notification_level: 3 },
  });
  assert.deepEqual((await owner.get(`${project.at}/members`)).body, []);
});

test('accepts a default branch with its full ref name', async () => {
  const { project, owner } = await world({ project: { default_branch: 'refs/heads/x/y', readme: true } });
  assert.equal(project.default_branch, 'x/y');
  assert.equal((await owner.get(`${project.repository}/branches/x%2Fy`)).status, 200);
});

test('lets only administrators create projects for other users', async () => {
  const { user, root } = await world();
  const mira = await user();
  const created = await root.post(`/projects/user/${mira.id}`, { name: 'For Mira' });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.body.path_with_namespace, `${mira.username}/for-mira`);
  assert.equal(created.body.creator_id, mira.id);
  assert.equal(created.body.repository_storage, 'default');
  assert.deepEqual((await mira.get(`/projects/${created.body.id}`)).body.permissions.project_access.access_level, 50);
  assert.equal((await mira.post(`/projects/user/${mira.id}`, { name: 'x' })).status, 403);
  const missing = await root.post('/projects/user/987654', { name: 'x' });
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 User Not Found' }]);
  assert.deepEqual((await root.post(`/projects/user/${mira.id}`)).body, { error: 'name is missing' });
});

test('creates, records and protects the first commit with initialize_with_readme', async () => {
  const { user, server, runJobs } = await world();
  const mira = await user();
  const mark = await markRecordedEvents(server.services.database.reader);
  const project = await newProject({ owner: mira, readme: true, description: 'A tool' });
  assert.equal(project.empty_repo, false);
  assert.equal(project.readme_url, `${project.web_url}/-/blob/main/README.md`);
  const branches = await mira.get(`${project.repository}/branches`);
  assert.equal(branches.body.length, 1);
  const [branch] = branches.body;
  assert.deepEqual([branch.name, branch.protected, branch.commit.title], ['main', true, 'Initial commit']);
  await runJobs();
  const recorded = await listRecordedSince(server.services.database.reader, mark);
  assert.deepEqual(recorded, ['created Project', 'pushed new branch', 'project_created', 'protected_branch_created']);
});

test('returns 403 if the user has reached the limit of personal projects', async () => {
  const { user, root, server } = await world();
  const mira = await user();
  const { namespace } = await newProject({ owner: mira });
  const { database } = server.services;
  await database.transaction(async (tx) => {
    await tx.updateTable('users').set({ projects_limit: 1 }).where('id', '=', mira.id).execute();
  });
  const answer = await mira.post('/projects', { name: 'One more' });
  const text = "You've reached your limit of 1 projects created. Contact your administrator.";
  assert.deepEqual([answer.status, answer.body], [403, { message: [text] }]);
  const group = await newGroup({ owner: root });
  await group.addMember('developer', mira);
  await newProject({ owner: mira, in: group });
  const byAnother = await root.post('/projects', { name: 'A gift', namespace_id: namespace.id });
  assert.equal(byAnother.status, 201, byAnother.text);
});

test('reserves restricted visibility levels for administrators', async () => {
  const { user, root } = await world();
  const mira = await user();
  const set = (restricted_visibility_levels: string[]) =>
    root.put('/application/settings', { restricted_visibility_levels });
  assert.equal((await set(['public', 'internal'])).status, 200);
  const refused = await mira.post('/projects', { name: 'Wide', visibility: 'public' });
  assert.deepEqual(refused.body, {
    message: { visibility_level: ['public has been restricted by your administrator'] },
  });
  await newProject({ owner: root, visibility: 'public' });
  assert.equal((await newProject({ owner: mira })).visibility, 'private');
  await set([]);
  await root.put('/application/settings', { default_project_visibility: 'internal' });
  assert.equal((await newProject({ owner: mira })).visibility, 'internal');
  await root.put('/application/settings', { default_project_visibility: 'private' });
});

test('creates no project from a template, because none exists', async () => {
  const { user, root } = await world();
  const ada = await user();
  for (const [params, errors] of [
    [{ template_name: 'rails' }, { template_name: ["'rails' is unknown or invalid"] }],
    [
      { use_custom_template: true, template_project_id: 7, group_with_project_templates_id: 3 },
      { template_project_id: ['7 is unknown or invalid'] },
    ],
  ] as const) {
    for (const answer of [
      await ada.post('/projects', { name: 'templated', ...params }),
      await root.post(`/projects/user/${ada.id}`, { name: 'templated', ...params }),
    ])
      assert.deepEqual([answer.status, answer.body], [400, { message: errors }]);
  }
  assert.deepEqual((await ada.get(`/users/${ada.id}/projects`)).body, []);
  assert.equal(
    (await ada.post('/projects', { name: 'plain', template_name: '', use_custom_template: false })).status,
    201,
  );
});

test('leaves no project behind if its first commit cannot be written', async () => {
  const here = await world();
  const mira = await here.user();
  const params = { name: 'Unlucky', initialize_with_readme: true };
  atNextTransaction(here, async (createProject) => {
    const created = await createProject();
    atNextTransaction(here, () => Promise.reject(new DatabaseUnavailable(new Error('disk full'))));
    return created;
  });
  assert.equal((await mira.post('/projects', params)).status, 503);
  assert.deepEqual((await mira.get(`/users/${mira.id}/projects`)).body, []);
  assert.equal((await mira.post('/projects', params)).status, 201);
});
