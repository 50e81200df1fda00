import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

const encoded = (project: { path_with_namespace: string }) => encodeURIComponent(project.path_with_namespace);

test('redirects the former path of a renamed project to its id, with the rest of the request', async () => {
  const { user, anonymous, server } = await world();
  const [owner, stranger] = [await user(), await user()];
  const project = await newProject({ owner, readme: true });
  const old = encoded(project);
  const renamed = await owner.put(project.at, { path: 'renamed' });
  assert.equal(renamed.body.path_with_namespace, `${owner.username}/renamed`);
  const base = `${server.address}/api/v4${project.at}`;
  const moved = await owner.get(`/projects/${old}?simple=true&x=a%2Fb`);
  assert.equal(moved.status, 301);
  assert.equal(moved.headers.location, `${base}?simple=true&x=a%2Fb`);
  assert.equal(moved.text, `This resource has been moved permanently to ${base}?simple=true&x=a%2Fb`);
  const below = await owner.get(`/projects/${old}/repository/branches/a%2Fb`);
  assert.equal(below.headers.location, `${base}/repository/branches/a%2Fb`);
  assert.equal((await owner.head(`/projects/${old}`)).status, 301);
  assert.equal((await owner.get(`/projects/${old.toUpperCase().replaceAll('%2F', '%2f')}`)).status, 301);
  const written = await owner.put(`/projects/${old}`, { description: 'x' });
  assert.deepEqual(
    [written.status, written.body],
    [405, { message: 'Non GET methods are not allowed for moved projects' }],
  );
  for (const caller of [stranger, anonymous]) {
    assert.deepEqual((await caller.get(`/projects/${old}`)).body, { message: '404 Project Not Found' });
  }
  assert.equal(
    (await owner.get(`/projects/${encoded(renamed.body).toUpperCase().replaceAll('%2F', '%2f')}`)).status,
    200,
  );
});

test('keeps every path segment and the query in redirects, on every route of a project', async () => {
  const { project, owner, server } = await world({ project: { readme: true } });
  const old = encoded(project);
  await owner.put(project.at, { path: 'elsewhere' });
  for (const below of [
    `/repository/files/${old}%2Fa%252Fb%2e.json/raw?ref=main&a[]=1&a%5B%5D=2&empty=&q=%26%25+b%2c`,
    '/repository/branches/%C3%A9%20x%3F%23',
    '/members/all',
    '/protected_branches?page=2',
    '/audit_events?pagination=keyset',
    '/access_tokens/7',
  ]) {
    const location = `${server.address}/api/v4${project.at}${below}`;
    for (const method of ['GET', 'HEAD']) {
      const moved = await owner.send(method, `/projects/${old}${below}`);
      assert.deepEqual([moved.status, moved.headers.location], [301, location], `${method} ${below}`);
      assert.equal(moved.text, method === 'HEAD' ? '' : `This resource has been moved permanently to ${location}`);
      assert.equal(moved.headers['content-type'], 'text/plain');
    }
  }
});

test('redirects unusual spellings of a path to the id, not to themselves', async () => {
  const { project, owner } = await world({ project: {} });
  await owner.put(project.at, { path: 'odd' });
  for (const [path, below] of [
    [`//api/v4/projects//${encoded(project)}/members`, `//${project.id}/members`],
    [`//api/v4//projects/${encoded(project)}/`, `/${project.id}/`],
    [`//api/v4/%70rojects/${encoded(project)}`, `/${project.id}`],
  ] as const) {
    const location = String((await owner.get(path)).headers.location);
    assert.ok(location.endsWith(`rojects${below}`), location);
    assert.notEqual((await owner.get(`/${location.slice(location.indexOf('/api'))}`)).status, 301);
  }
});

test('uses the external URL in redirects', async () => {
  const { root } = await world({ env: { HEARTH_EXTERNAL_URL: 'https://hearth.test/code/' } });
  const { id, path_with_namespace } = await newProject({ owner: root, name: 'Behind' });
  await root.put(`/projects/${id}`, { path: 'beyond' });
  const old = encodeURIComponent(path_with_namespace);
  for (const prefix of ['//api/v4', '//code/api/v4']) {
    const { headers } = await root.get(`${prefix}/projects/${old}/users?search=a`);
    assert.equal(headers.location, `https://hearth.test/code/api/v4/projects/${id}/users?search=a`);
  }
});

const FILE = { branch: 'main', content: 'x', commit_message: 'm' };

test('returns 405 for all other methods and changes nothing', async () => {
  const { user } = await world();
  const [owner, stranger] = [await user(), await user()];
  const project = await newProject({ owner, readme: true });
  await owner.put(project.at, { path: 'stay' });
  const now = (await owner.get(project.at)).body;
  const at = `/projects/${encoded(project)}`;
  const calls = [
    ['PUT', at, { description: 'x' }],
    ['DELETE', at, {}],
    ['POST', `${at}/archive`, {}],
    ['POST', `${at}/members`, { user_id: stranger.id, access_level: 30 }],
    ['POST', `${at}/repository/files/new.txt`, FILE],
    ['PUT', `${at}/repository/files/README.md`, FILE],
    ['DELETE', `${at}/repository/files/README.md`, FILE],
    ['POST', `${at}/repository/branches`, { branch: 'x', ref: 'main' }],
    ['PATCH', `${at}/protected_branches/main`, { allow_force_push: true }],
  ] as const;
  const refusal = [405, { message: 'Non GET methods are not allowed for moved projects' }];
  for (const [method, path, params] of calls) {
    const answer = await owner.send(method, path, { params });
    assert.deepEqual([answer.status, answer.body], refusal, `${method} ${path}`);
    assert.deepEqual((await stranger.send(method, path, { params })).body, { message: '404 Project Not Found' }, path);
  }
  assert.deepEqual((await owner.get(project.at)).body, now);
  assert.equal((await owner.get(`${project.repository}/branches`)).body.length, 1);
});

test('checks write access before it reports a moved project or parameters', async () => {
  const { tokenOf, anonymous, project, owner } = await world({ project: { readme: true } });
  await owner.put(project.at, { path: 'stay-too' });
  const now = (await owner.get(project.at)).body;
  const at = `/projects/${encoded(project)}`;
  assert.equal((await anonymous.put(at, { description: 'x' })).status, 401);
  assert.equal((await (await tokenOf(owner, ['read_api'])).put(at, { description: 'x' })).status, 403);
  const refusal = { message: 'Non GET methods are not allowed for moved projects' };
  assert.deepEqual((await owner.post(`${at}/members`, { user_id: 1 })).body, refusal);
  assert.deepEqual((await owner.patch(at)).body, { error: '405 Not Allowed' });
  assert.deepEqual((await owner.get(project.at)).body, now);
  assert.equal((await owner.get(`${project.repository}/branches`)).body.length, 1);
});

test('redirects all former paths until the project returns or another one takes the path', async () => {
  const { project, owner } = await world({ project: { path: 'stop-1' } });
  const at = (path: string) => `/projects/${encodeURIComponent(`${owner.username}/${path}`)}`;
  const statuses = async () =>
    Promise.all(['stop-1', 'stop-2', 'stop-3'].map(async (path) => (await owner.get(at(path))).status));
  await owner.put(project.at, { path: 'stop-2' });
  await owner.put(project.at, { path: 'stop-3' });
  assert.deepEqual(await statuses(), [301, 301, 200]);
  await owner.put(project.at, { path: 'STOP-1' });
  assert.deepEqual(await statuses(), [200, 301, 301]);
  const other = await newProject({ owner, path: 'stop-3' });
  assert.deepEqual(await statuses(), [200, 301, 200]);
  await owner.put(other.at, { path: 'stop-2' });
  assert.deepEqual(await statuses(), [200, 200, 301]);
  assert.match(String((await owner.get(at('stop-3'))).headers.location), new RegExp(`/${other.id}$`));
});

test('does not redirect a path that another project of the caller has', async () => {
  const { user } = await world();
  const owner = await user();
  const [left, right] = [await newProject({ owner }), await newProject({ owner })];
  await owner.put(`/projects/${left.id}`, { path: 'between' });
  await owner.put(`/projects/${right.id}`, { path: left.path });
  await owner.put(`/projects/${left.id}`, { path: right.path });
  assert.equal((await owner.get(`/projects/${encoded(left)}`)).body.id, right.id);
  assert.equal((await owner.get(`/projects/${encoded(right)}`)).body.id, left.id);
});

test('ends the redirect when a group takes the path', async () => {
  const { user } = await world();
  const owner = await user();
  const top = await newGroup({ owner });
  const project = await newProject({ in: top, path: 'seat' });
  await owner.put(project.at, { path: 'gone' });
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 301);
  await newGroup({ in: top, path: 'Seat' });
  assert.deepEqual((await owner.get(`/projects/${encoded(project)}`)).body, { message: '404 Project Not Found' });
});

test("redirects projects below a group's former path although another group has taken it", async () => {
  const { group, owner } = await world({ group: {} });
  const project = await newProject({ in: group });
  await owner.put(group.at, { path: `${group.path}-new` });
  const next = await newGroup({ owner, path: group.path });
  assert.equal((await owner.get(`/groups/${group.path}`)).body.id, next.id);
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 301);
  const heir = await newProject({ in: next, path: project.path });
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).body.id, heir.id);
});

test('redirects projects of a renamed user', async () => {
  const { project, owner, root, name } = await world({ project: {} });
  await root.put(`/users/${owner.id}`, { username: name('owner') });
  const moved = await owner.get(`/projects/${encoded(project)}`);
  assert.equal(moved.status, 301);
  assert.match(String(moved.headers.location), new RegExp(`${project.at}$`));
  assert.equal((await owner.delete(`/projects/${encoded(project)}`)).status, 405);
});

test('ends the redirect when a project takes the path', async () => {
  const { user } = await world();
  const owner = await user();
  const first = await newProject({ owner, path: 'seat' });
  await owner.put(first.at, { path: 'moved-on' });
  assert.equal((await owner.get(`/projects/${encoded(first)}`)).status, 301);
  const second = await newProject({ owner, name: 'Second', path: 'SEAT' });
  assert.equal((await owner.get(`/projects/${encoded(first)}`)).body.id, second.id);
});

test('adds no redirect for a change of case alone', async () => {
  const { project, owner } = await world({ project: { path: 'quiet' } });
  const loud = await owner.put(project.at, { path: 'QUIET' });
  assert.equal(loud.body.path, 'QUIET');
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 200);
});

test('redirects projects below a renamed group', async () => {
  const { user, name } = await world();
  const owner = await user();
  const top = await newGroup({ owner });
  const sub = await newGroup({ in: top });
  const project = await newProject({ in: sub });
  const path = name('renamed');
  assert.equal((await owner.put(top.at, { path })).status, 200);
  const now = (await owner.get(project.at)).body;
  assert.equal(now.path_with_namespace, `${path}/${sub.path}/${project.path}`);
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 301);
  assert.equal((await owner.get(`/groups/${encodeURIComponent(top.full_path)}`)).status, 404);
});

test('changes the path, lowers the visibility and leaves a redirect on transfer', async () => {
  const { group, owner } = await world({ group: {} });
  const project = await newProject({ owner, visibility: 'public' });
  const moved = await owner.put(`${project.at}/transfer`, { namespace: group.full_path.toUpperCase() });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(moved.body.path_with_namespace, `${group.full_path}/${project.path}`);
  assert.equal(moved.body.visibility, 'private');
  assert.equal('owner' in moved.body, false);
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 301);
  const back = await owner.put(`${project.at}/transfer`, { namespace: project.namespace.id });
  assert.equal(back.body.path_with_namespace, project.path_with_namespace);
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 200);
});

test('requires an Owner, a known namespace, the right to create there and a free name for a transfer', async () => {
  const { user, root } = await world();
  const [owner, maintainer] = [await user(), await user()];
  const project = await newProject({ owner, name: 'Mover', path: 'mover' });
  const path = `${project.at}/transfer`;
  await project.addMember('maintainer', maintainer);
  const foreign = await newGroup({ owner: root, visibility: 'public' });
  // Its Developers may create projects, but not receive transfers.
  const closed = await newGroup({ owner: root, project_creation_level: 'developer' });
  await closed.addMember('developer', owner);
  const full = await newGroup({ owner });
  await newProject({ in: full, name: 'MOVER', path: 'else' });
  const failed = (text: string) => `Failed to transfer project {:new_namespace=>["${text}"]}`;
  const rows = [
    [{ namespace: foreign.id }, 404, '404 Namespace Not Found'],
    [{ namespace: 'nowhere' }, 404, '404 Namespace Not Found'],
    [{ namespace: '99999999999999999999' }, 404, '404 Namespace Not Found'],
    [{ namespace: maintainer.username }, 404, '404 Namespace Not Found'],
    [{ namespace: owner.username }, 400, failed('Project is already in this namespace.')],
    [{ namespace: closed.id }, 400, failed("You don't have permission to transfer projects into that namespace.")],
    [{ namespace: full.id }, 400, failed('Project with same name or path in target namespace already exists')],
  ] as const;
  for (const [params, status, message] of rows) {
    const answer = await owner.put(path, params);
    assert.deepEqual([answer.status, answer.body], [status, { message }], JSON.stringify(params));
  }
});

test('requires a namespace and an Owner for a transfer, also of a project that is not archived', async () => {
  const { project, owner, maintainer } = await world({ project: { with: ['maintainer'] } });
  const path = `${project.at}/transfer`;
  const full = await newGroup({ owner });
  const foreign = await newGroup({ owner: await (await world()).user(), visibility: 'public' });
  assert.deepEqual((await owner.put(path)).body, { error: 'namespace is missing' });
  assert.deepEqual((await maintainer.put(path, { namespace: full.id })).body, { message: '403 Forbidden' });
  await owner.post(`${project.at}/archive`);
  assert.deepEqual((await owner.put(path, { namespace: foreign.id })).body, { message: '403 Forbidden' });
  assert.equal((await owner.get(project.at)).body.path_with_namespace, project.path_with_namespace);
});

test('makes the receiver of a transfer to a personal namespace Owner', async () => {
  const { user, root } = await world();
  const [owner, heir] = [await user(), await user()];
  const project = await newProject({ owner });
  const moved = await root.put(`${project.at}/transfer`, { namespace: heir.username });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(moved.body.owner.id, heir.id);
  assert.equal((await heir.get(project.at)).body.permissions.project_access.access_level, 50);
});

test('lets an administrator transfer a project to a group and returns the group', async () => {
  const { group, owner, root, anonymous } = await world({ group: {} });
  const project = await newProject({ owner });
  const path = `${group.at}${project.at}`;
  assert.equal((await anonymous.post(path)).status, 401);
  assert.deepEqual((await owner.post(path)).body, { message: '403 Forbidden' });
  const moved = await root.post(`${group.at}/projects/${encoded(project)}`);
  assert.equal(moved.status, 201, moved.text);
  assert.deepEqual([moved.body.id, moved.body.projects[0].id], [group.id, project.id]);
  assert.equal((await root.post(path)).status, 400);
  assert.deepEqual((await root.post(`/groups/987654${project.at}`)).body, { message: '404 Group Not Found' });
  assert.deepEqual((await root.post(`${group.at}/projects/987654`)).body, { message: '404 Project Not Found' });
});
