import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findIngestionLimits } from '#domain/error-tracking.ts';
import { type Caller, done, type Project, type World, world } from '#test/support/world.ts';

// Whether a project takes reports of errors (contract/monitoring.md §9, §11).

const at = (project: Project) => `${project.at}/error_tracking/settings`;
const keysOf = async (by: Caller, project: Project) => (await by.get(`${project.at}/error_tracking/client_keys`)).body;
const shown = (active: boolean, integrated: boolean) => ({
  active,
  project_name: null,
  sentry_external_url: null,
  api_url: null,
  integrated,
});

/** May somebody with this key report to the project? */
const takes = async ({ server }: World, project: Project, key: string) =>
  (await findIngestionLimits(server.services.database.reader, { projectId: project.id, key, tier: 'ultimate' })) !==
  null;

test('settings that were never set are not found', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const missing = [404, { message: '404 Error Tracking Setting Not Found' }];
  const read = await maintainer.get(at(project));
  assert.deepEqual([read.status, read.body], missing);
  const changed = await maintainer.patch(at(project), { active: true });
  assert.deepEqual([changed.status, changed.body], missing);
});

test('setting them makes them, changes them, and makes a key where there is no active one', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  for (const active of [true, false, true]) {
    const { status, body } = await maintainer.put(at(project), { active, integrated: true });
    assert.deepEqual([status, body], [200, shown(active, true)]);
    assert.deepEqual((await maintainer.get(at(project))).body, shown(active, true));
  }
  const [key, ...others] = await keysOf(maintainer, project);
  assert.deepEqual(others, []);
  await done(maintainer.delete(`${project.at}/error_tracking/client_keys/${key.id}`));
  await done(maintainer.patch(at(project), { active: true }));
  assert.equal((await keysOf(maintainer, project)).length, 1);
});

test('settings that are made by many at once make one key', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const calls = Array.from({ length: 5 }, () => maintainer.put(at(project), { active: true, integrated: true }));
  assert.deepEqual(
    (await Promise.all(calls)).map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  assert.equal((await keysOf(maintainer, project)).length, 1);
});

test('what is missing or wrong is said in these words', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  await done(maintainer.put(at(project), { active: false, integrated: true }));
  const refusal = async (method: 'put' | 'patch', params: Readonly<Record<string, unknown>>) => {
    const { status, body } = await maintainer[method](at(project), params);
    return status === 400 && (body.error ?? body.message);
  };
  assert.equal(await refusal('patch', {}), 'active is missing, active is empty');
  assert.equal(await refusal('patch', { active: '' }), 'active is empty');
  assert.equal(await refusal('patch', { active: 'random' }), 'active is invalid');
  assert.equal(await refusal('put', { active: '', integrated: true }), 'active is empty');
  assert.equal(await refusal('put', { active: true }), 'integrated is missing');
  assert.equal(await refusal('put', { active: true, integrated: 'random' }), 'integrated is invalid');
  assert.equal(await refusal('put', {}), 'active is missing, active is empty, integrated is missing');
  assert.deepEqual((await maintainer.get(at(project))).body, shown(false, true));
});

test('active without the integrated backend is refused, and changes nothing', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const refused = [400, { message: 'Error tracking setting api url is a required field' }];
  const told = async (answer: Promise<{ readonly status: number; readonly body: unknown }>) => {
    const { status, body } = await answer;
    return [status, body];
  };
  assert.deepEqual(await told(maintainer.put(at(project), { active: true, integrated: false })), refused);
  assert.equal((await maintainer.get(at(project))).status, 404);
  await done(maintainer.put(at(project), { active: true, integrated: true }));
  assert.deepEqual(await told(maintainer.patch(at(project), { active: true, integrated: false })), refused);
  assert.deepEqual((await maintainer.get(at(project))).body, shown(true, true));
  assert.deepEqual(await told(maintainer.patch(at(project), { active: false, integrated: false })), [
    200,
    shown(false, false),
  ]);
  assert.deepEqual(await told(maintainer.patch(at(project), { active: true })), refused);
});

test('reports are taken before anything is set, and when both are on', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer } = here;
  const { public_key: key } = (await done(maintainer.post(`${project.at}/error_tracking/client_keys`))).body;
  const taken = [await takes(here, project, key)];
  for (const [active, integrated] of [
    [false, true],
    [true, true],
    [false, false],
  ] as const) {
    await done(maintainer.put(at(project), { active, integrated }));
    taken.push(await takes(here, project, key));
  }
  assert.deepEqual(taken, [true, false, true, false]);
});

test('with the feature flag off nothing is set, and what was is not integrated', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer, root } = here;
  await done(maintainer.put(at(project), { active: true, integrated: true }));
  const [{ public_key: key }] = await keysOf(maintainer, project);
  const other = await here.newProject({});
  await done(root.post('/features/integrated_error_tracking', { value: true, project: other.path_with_namespace }));
  const put = await maintainer.put(at(project), { active: false, integrated: true });
  assert.deepEqual([put.status, put.body], [404, { message: '404 Not Found' }]);
  assert.deepEqual((await maintainer.get(at(project))).body, shown(true, false));
  assert.equal((await maintainer.patch(at(project), { active: true })).status, 400);
  assert.equal(await takes(here, project, key), false);
  await done(root.post('/features/integrated_error_tracking', { value: true }));
  assert.deepEqual((await maintainer.get(at(project))).body, shown(true, true));
  assert.equal(await takes(here, project, key), true);
});

test('settings are for maintainers', async () => {
  const here = await world({ project: { visibility: 'public', with: ['reporter', 'developer', 'maintainer'] } });
  const { project } = here;
  const callers = [here.anonymous, await here.user(), here.reporter, here.developer, here.maintainer];
  const put = (by: Caller) => by.put(at(project), { active: true, integrated: true });
  const statuses = async (call: (by: Caller) => Promise<{ readonly status: number }>) => {
    const each: number[] = [];
    for (const by of callers) each.push((await call(by)).status);
    return each;
  };
  assert.deepEqual(await statuses(put), [401, 403, 403, 403, 200]);
  assert.deepEqual(await statuses((by) => by.get(at(project))), [401, 403, 403, 403, 200]);
  assert.deepEqual(await statuses((by) => by.patch(at(project), { active: false })), [401, 403, 403, 403, 200]);
});
