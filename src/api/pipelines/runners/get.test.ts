import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// contract/runners.md §1.2, §2.4, §2.5

const here = await world({ group: { with: ['reporter', 'developer', 'maintainer'] } });
const { group, owner, maintainer, developer, root, anonymous, newRunner, newGroup, newProject } = here;
const sub = await newGroup({ in: group });
const project = await newProject({ in: sub });
const stranger = await here.user();

test('shows instance runners to signed-in users, and others to maintainers of their group or project', async () => {
  const instance = await newRunner();
  assert.equal((await stranger.get(instance.at)).status, 200);
  assert.equal((await anonymous.get(instance.at)).status, 401);
  for (const place of [group, project]) {
    const { at } = await newRunner({ in: place });
    for (const caller of [owner, maintainer, root]) assert.equal((await caller.get(at)).status, 200);
    for (const caller of [developer, stranger]) {
      for (const path of [at, `${at}/managers`, `${at}/projects`]) {
        const { status, body } = await caller.get(path);
        assert.deepEqual([status, body], [403, { message: '403 Forbidden - No access granted' }]);
      }
    }
  }
});

test('shows group runners to Maintainers of a project below while it enables them', async () => {
  const below = await project.addMember('maintainer');
  const { at } = await newRunner({ in: group });
  assert.equal((await below.get(at)).status, 200);
  await owner.put(project.at, { group_runners_enabled: false });
  assert.equal((await below.get(at)).status, 403);
  await owner.put(project.at, { group_runners_enabled: true });
});

test('returns 404 for an unknown runner and 400 for an invalid id', async () => {
  assert.deepEqual((await root.get('/runners/999999')).body, { message: '404 Not found' });
  const { status, body } = await root.get('/runners/mine');
  assert.deepEqual([status, body], [400, { error: 'id is invalid' }]);
});

test('shows no token, and the maintenance note only to users who may update the runner', async () => {
  const { at, token } = await newRunner({ in: group, maintenance_note: 'disk swapped' });
  for (const [caller, note] of [
    [owner, 'disk swapped'],
    [maintainer, null],
  ] as const) {
    const { body, text } = await caller.get(at);
    assert.equal(body.maintenance_note, note);
    assert.ok(!text.includes(token) && !('token' in body));
  }
});

test('shows projects and groups of a runner to their members, and all to administrators', async () => {
  const other = await newProject({ owner });
  const { id, at } = await newRunner({ in: project });
  await owner.post(`${other.at}/runners`, { runner_id: id });
  const shown = async (caller: typeof root, params = {}) =>
    (await caller.get(at, params)).body.projects?.map((one: { id: number }) => one.id);
  assert.deepEqual(await shown(owner), [project.id, other.id]);
  assert.deepEqual(await shown(root), [project.id, other.id]);
  assert.deepEqual(await shown(maintainer), [project.id]);
  assert.equal(await shown(owner, { include_projects: false }), undefined);
  const { body } = await owner.get((await newRunner({ in: group })).at);
  assert.deepEqual(
    [body.projects, body.groups],
    [[], [{ id: group.id, web_url: body.groups[0].web_url, name: group.name }]],
  );
  assert.deepEqual(
    (await root.get(`${at}/projects`)).body.map((one: { id: number }) => one.id),
    [project.id, other.id],
  );
  assert.deepEqual(
    (await maintainer.get(`${at}/projects`)).body.map((one: { id: number }) => one.id),
    [project.id],
  );
});

test('lists the projects of a runner by id', async () => {
  const later = await newProject({ owner });
  const { id, at } = await newRunner({ in: later });
  await expectSuccess(owner.post(`${project.at}/runners`, { runner_id: id }));
  const ids = (await owner.get(`${at}/projects`)).body.map((one: { id: number }) => one.id);
  assert.deepEqual(ids, [project.id, later.id]);
});

test('a manager is shown by what it said last, and by the clock', async () => {
  const { at, token } = await newRunner();
  const info = { version: '18.1.0', revision: 'abc', platform: 'linux', architecture: 'amd64' };
  await anonymous.post('/runners/verify', { token, system_id: 's_1', info });
  const seen = here.clock.now().toISOString();
  here.clock.advance(3 * 3600);
  const [manager, ...others] = (await root.get(`${at}/managers`)).body;
  const { id, created_at, ...rest } = manager;
  assert.deepEqual([others, created_at, typeof id], [[], seen, 'number']);
  assert.deepEqual(rest, {
    system_id: 's_1',
    ...info,
    contacted_at: seen,
    ip_address: '127.0.0.1',
    status: 'offline',
    job_execution_status: 'idle',
  });
});
