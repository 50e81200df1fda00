import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../test/world.ts';
import { givenGroup, givenMember, givenProject } from './given.testing.ts';

const encoded = (project: { path_with_namespace: string }) => encodeURIComponent(project.path_with_namespace);

test('the old path of a renamed project leads to its number, with the rest of the request', async () => {
  const { user, anonymous, server } = await world();
  const [owner, stranger] = [await user(), await user()];
  const project = await givenProject(owner, { initialize_with_readme: true });
  const old = encoded(project);
  const renamed = await owner.put(`/projects/${project.id}`, { path: 'renamed' });
  assert.equal(renamed.body.path_with_namespace, `${owner.username}/renamed`);
  const base = `${server.address}/api/v4/projects/${project.id}`;
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

test('a project that takes the old path ends the redirect', async () => {
  const { user } = await world();
  const owner = await user();
  const first = await givenProject(owner, { path: 'seat' });
  await owner.put(`/projects/${first.id}`, { path: 'moved-on' });
  assert.equal((await owner.get(`/projects/${encoded(first)}`)).status, 301);
  const second = await givenProject(owner, { name: 'Second', path: 'SEAT' });
  assert.equal((await owner.get(`/projects/${encoded(first)}`)).body.id, second.id);
});

test('a change of case alone redirects nothing', async () => {
  const { user } = await world();
  const owner = await user();
  const project = await givenProject(owner, { path: 'quiet' });
  const loud = await owner.put(`/projects/${project.id}`, { path: 'QUIET' });
  assert.equal(loud.body.path, 'QUIET');
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 200);
});

test('projects below a renamed group are found by their old paths', async () => {
  const { user, name } = await world();
  const owner = await user();
  const top = await givenGroup(owner);
  const sub = await givenGroup(owner, { parent_id: top.id });
  const project = await givenProject(owner, { namespace_id: sub.id });
  const path = name('renamed');
  assert.equal((await owner.put(`/groups/${top.id}`, { path })).status, 200);
  const now = (await owner.get(`/projects/${project.id}`)).body;
  assert.equal(now.path_with_namespace, `${path}/${sub.path}/${project.path}`);
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 301);
  assert.equal((await owner.get(`/groups/${encodeURIComponent(top.full_path)}`)).status, 404);
});

test('a transfer moves the path, lowers the visibility and leaves a redirect', async () => {
  const { user } = await world();
  const owner = await user();
  const group = await givenGroup(owner);
  const project = await givenProject(owner, { visibility: 'public' });
  const moved = await owner.put(`/projects/${project.id}/transfer`, { namespace: group.full_path.toUpperCase() });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(moved.body.path_with_namespace, `${group.full_path}/${project.path}`);
  assert.equal(moved.body.visibility, 'private');
  assert.equal('owner' in moved.body, false);
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 301);
  const back = await owner.put(`/projects/${project.id}/transfer`, { namespace: project.namespace.id });
  assert.equal(back.body.path_with_namespace, project.path_with_namespace);
  assert.equal((await owner.get(`/projects/${encoded(project)}`)).status, 200);
});

test('a transfer needs an Owner, a place he belongs to, the right to create there, and a free name', async () => {
  const { user, root } = await world();
  const [owner, maintainer] = [await user(), await user()];
  const project = await givenProject(owner, { name: 'Mover', path: 'mover' });
  const path = `/projects/${project.id}/transfer`;
  await givenMember(owner, `/projects/${project.id}`, maintainer, 40);
  const foreign = await givenGroup(root, { visibility: 'public' });
  const closed = await givenGroup(root, { project_creation_level: 'maintainer' });
  await givenMember(root, `/groups/${closed.id}`, owner, 30);
  const full = await givenGroup(owner);
  await givenProject(owner, { namespace_id: full.id, name: 'MOVER', path: 'else' });
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
  assert.deepEqual((await owner.put(path)).body, { error: 'namespace is missing' });
  assert.deepEqual((await maintainer.put(path, { namespace: full.id })).body, { message: '403 Forbidden' });
  await owner.post(`/projects/${project.id}/archive`);
  assert.deepEqual((await owner.put(path, { namespace: foreign.id })).body, { message: '403 Forbidden' });
  assert.equal((await owner.get(`/projects/${project.id}`)).body.path_with_namespace, project.path_with_namespace);
});

test('who receives a project in his own namespace owns it', async () => {
  const { user, root } = await world();
  const [owner, heir] = [await user(), await user()];
  const project = await givenProject(owner);
  const moved = await root.put(`/projects/${project.id}/transfer`, { namespace: heir.username });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(moved.body.owner.id, heir.id);
  assert.equal((await heir.get(`/projects/${project.id}`)).body.permissions.project_access.access_level, 50);
});

test('an administrator moves a project into a group and gets the group', async () => {
  const { user, root, anonymous } = await world();
  const owner = await user();
  const group = await givenGroup(owner);
  const project = await givenProject(owner);
  const path = `/groups/${group.id}/projects/${project.id}`;
  assert.equal((await anonymous.post(path)).status, 401);
  assert.deepEqual((await owner.post(path)).body, { message: '403 Forbidden' });
  const moved = await root.post(`/groups/${group.id}/projects/${encoded(project)}`);
  assert.equal(moved.status, 201, moved.text);
  assert.deepEqual([moved.body.id, moved.body.projects[0].id], [group.id, project.id]);
  assert.equal((await root.post(path)).status, 400);
  assert.deepEqual((await root.post(`/groups/987654/projects/${project.id}`)).body, { message: '404 Group Not Found' });
  assert.deepEqual((await root.post(`/groups/${group.id}/projects/987654`)).body, { message: '404 Project Not Found' });
});
