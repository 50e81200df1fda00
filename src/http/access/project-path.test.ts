import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// How a path names projects, groups and what is in them (contract/conventions.md §2).

const { user, anonymous, name, newGroup, newProject } = await world();
const ada = await user();

const OPEN = { owner: ada, visibility: 'public' };

const at = (path: string) => encodeURIComponent(path);
const noProject = { message: '404 Project Not Found' };
const noGroup = { message: '404 Group Not Found' };
const noRoute = { error: '404 Not Found' };

test('a project is named by its number or its full path in any case', async () => {
  const top = await newGroup({ ...OPEN, path: name('Group') });
  const low = await newGroup({ ...OPEN, in: top, path: name('Group') });
  const {
    id,

    path_with_namespace: full,
  } = await newProject({ ...OPEN, in: low, name: name('Project'), readme: true });
  for (const good of [
    id,
    at(full),
    at(full.toUpperCase()),
    at(full.toLowerCase()),
    at(full).replaceAll('%2F', '%2f'),
  ]) {
    for (const below of ['', '/members', '/repository/branches/main', '/audit_events']) {
      const answer = await ada.get(`/projects/${good}${below}`);
      assert.equal(answer.status, 200, `${good}${below}`);
      assert.equal(answer.headers.location, undefined);
    }
  }
});

test('returns 404 for a path that only resembles the path of a project', async () => {
  const top = await newGroup({ ...OPEN, path: name('Group') });
  const words = await newGroup({ ...OPEN, path: name('Group') });
  const low = await newGroup({ ...OPEN, in: top, path: name('Group') });
  const project = await newProject({ ...OPEN, in: low, name: name('Project'), readme: true });
  const { id, path, path_with_namespace: full } = project;
  const bad = [path, at(`/${full}`), at(`${full}/`), at(`${low.path}/${path}`), at(`${full}.git`), at(`${full}.json`)];
  for (const wrong of [
    ...bad,
    `${id}.json`,
    `${id};`,
    `%20${id}`,
    `%2B${id}`,
    at(low.full_path),
    words.path,
    '.',
    '..',
  ]) {
    assert.deepEqual((await ada.get(`/projects/${wrong}`)).body, noProject, String(wrong));
  }
});

test('returns 404 for an unencoded project path', async () => {
  const top = await newGroup({ ...OPEN, path: name('Group') });
  const low = await newGroup({ ...OPEN, in: top, path: name('Group') });
  const project = await newProject({ ...OPEN, in: low, name: name('Project'), readme: true });
  const full = project.path_with_namespace;
  for (const unencoded of [full, `${full}/repository/branches`, `${top.path}/x`]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await ada.send(method, `/projects/${unencoded}`);
      assert.deepEqual([answer.status, answer.body], [404, noRoute], `${method} ${unencoded}`);
    }
  }
});

test('a group is named by its number or its full path in any case', async () => {
  const top = await newGroup({ ...OPEN, path: name('Group') });
  const low = await newGroup({ ...OPEN, in: top, path: name('Group') });
  for (const good of [top.id, top.path, top.path.toUpperCase(), top.path.toLowerCase()]) {
    assert.equal((await ada.get(`/groups/${good}`)).body.id, top.id, String(good));
  }
  for (const good of [low.id, at(low.full_path), at(low.full_path.toUpperCase())]) {
    assert.equal((await ada.get(`/groups/${good}`)).body.id, low.id, String(good));
    assert.equal((await ada.get(`/groups/${good}/projects`)).status, 200);
  }
  const project = await newProject({ ...OPEN, in: low, name: name('Project'), readme: true });
  for (const wrong of [
    low.path,
    at(`/${low.full_path}`),
    `${top.path}.json`,
    ada.username,
    at(project.path_with_namespace),
  ]) {
    assert.deepEqual((await ada.get(`/groups/${wrong}`)).body, noGroup, wrong);
  }
  assert.deepEqual((await ada.get(`/groups/${low.full_path}`)).body, noRoute);
});

test('responses for private and missing resources are identical', async () => {
  const [group, project] = [await newGroup({ owner: ada, path: name('Group') }), await newProject({ owner: ada })];
  const stranger = await user();
  for (const caller of [stranger, anonymous]) {
    const strip = ({ status, body, headers }: Awaited<ReturnType<typeof caller.get>>) => {
      const { date: _date, 'x-request-id': _id, ...rest } = headers;
      return { status, body, rest };
    };
    for (const below of ['', '/repository/branches', '/repository/files/README.md?ref=main', '/protected_branches']) {
      const [hidden, missing, named] = [
        await caller.get(`/projects/${project.id}${below}`),
        await caller.get(`/projects/987654${below}`),
        await caller.get(`/projects/${at(project.path_with_namespace)}${below}`),
      ];
      assert.deepEqual(strip(hidden), strip(missing), below);
      assert.deepEqual(strip(named), strip(missing), below);
      assert.deepEqual(hidden.body, noProject);
    }
    for (const below of ['', '/projects', '/subgroups', '/descendant_groups']) {
      const [hidden, missing] = [
        await caller.get(`/groups/${group.path}${below}`),
        await caller.get(`/groups/nobody-has-this${below}`),
      ];
      assert.deepEqual(strip(hidden), strip(missing), below);
      assert.deepEqual(hidden.body, noGroup);
    }
  }
});

test('a suffix is part of the name of a project', async () => {
  const suffixed = { name: 'conf.json', path: 'conf.json' };
  const { id, path_with_namespace: full } = await newProject({ ...OPEN, ...suffixed, readme: true });
  assert.equal((await ada.get(`/projects/${at(full)}`)).body.id, id);
});

test('a suffix, a slash or a sign is part of the name of a branch', async () => {
  const { repository: url } = await newProject({ ...OPEN, readme: true });
  for (const branch of ['v1.json', 'v1', 'a/b.yml', '100%25', 'a%2Fb', 'x;y', 'é.atom']) {
    assert.equal((await ada.post(`${url}/branches`, { branch, ref: 'main' })).status, 201, branch);
    const { body } = await ada.get(`${url}/branches/${at(branch)}`);
    assert.equal(body.name, branch);
    assert.equal((await ada.head(`${url}/branches/${at(branch)}`)).status, 204);
  }
  assert.equal((await ada.get(`${url}/branches/a%2Fb`)).status, 404, 'the branch a%2Fb is not a/b');
});

test('a suffix or a sign is part of the name of a file', async () => {
  const { repository: url } = await newProject({ ...OPEN, readme: true });
  const file = { branch: 'main', content: '{}', commit_message: 'm' };
  for (const path of ['package.json', 'a/.gitlab-ci.yml', 'archive.tar.gz', '100%25.txt', 'a b+c.git']) {
    assert.equal((await ada.post(`${url}/files/${at(path)}`, file)).status, 201, path);
    assert.equal((await ada.get(`${url}/files/${at(path)}`, { ref: 'main' })).body.file_path, path);
    assert.equal((await ada.get(`${url}/files/${at(path)}/raw`)).text, '{}');
  }
});

test('a route has no suffix', async () => {
  const { id, repository: url } = await newProject({ ...OPEN, readme: true });
  for (const path of [
    '/projects.json',
    '/version.json',
    `/projects/${id}/members.json`,
    `${url}/branches.json`,
    '/users/1.json',
  ]) {
    const { status, body } = await ada.get(path);
    assert.deepEqual([status, body], [404, noRoute], path);
  }
});
