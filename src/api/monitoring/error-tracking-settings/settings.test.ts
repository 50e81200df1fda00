import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findIngestionLimits } from '#domain/error-tracking.ts';
import { type Caller, expectSuccess, type Project, type World, world } from '#test/support/world.ts';

// Settings that determine whether a project accepts error reports (contract/monitoring.md §9, §11).

const settingsPath = (project: Project) => `${project.at}/error_tracking/settings`;
const listKeys = async (by: Caller, project: Project) =>
  (await by.get(`${project.at}/error_tracking/client_keys`)).body;
const settingsBody = (active: boolean, integrated: boolean) => ({
  active,
  project_name: null,
  sentry_external_url: null,
  api_url: null,
  integrated,
});

/** Returns whether the project accepts reports with this key. */
const acceptsReports = async ({ server }: World, project: Project, key: string) =>
  (await findIngestionLimits(server.services.database.reader, { projectId: project.id, key, tier: 'ultimate' })) !==
  null;

test('returns 404 for settings that were never saved', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const missing = [404, { message: '404 Error Tracking Setting Not Found' }];
  const read = await maintainer.get(settingsPath(project));
  assert.deepEqual([read.status, read.body], missing);
  const changed = await maintainer.patch(settingsPath(project), { active: true });
  assert.deepEqual([changed.status, changed.body], missing);
});

test('creates and updates the settings, and creates a key if none is active', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  for (const active of [true, false, true]) {
    const { status, body } = await maintainer.put(settingsPath(project), { active, integrated: true });
    assert.deepEqual([status, body], [200, settingsBody(active, true)]);
    assert.deepEqual((await maintainer.get(settingsPath(project))).body, settingsBody(active, true));
  }
  const [key, ...others] = await listKeys(maintainer, project);
  assert.deepEqual(others, []);
  await expectSuccess(maintainer.delete(`${project.at}/error_tracking/client_keys/${key.id}`));
  await expectSuccess(maintainer.patch(settingsPath(project), { active: true }));
  assert.equal((await listKeys(maintainer, project)).length, 1);
});

test('creates one key on concurrent updates', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const calls = Array.from({ length: 5 }, () =>
    maintainer.put(settingsPath(project), { active: true, integrated: true }),
  );
  assert.deepEqual(
    (await Promise.all(calls)).map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  assert.equal((await listKeys(maintainer, project)).length, 1);
});

test('returns 400 for missing or invalid parameters', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  await expectSuccess(maintainer.put(settingsPath(project), { active: false, integrated: true }));
  const getError = async (method: 'put' | 'patch', params: Readonly<Record<string, unknown>>) => {
    const { status, body } = await maintainer[method](settingsPath(project), params);
    return status === 400 && (body.error ?? body.message);
  };
  assert.equal(await getError('patch', {}), 'active is missing, active is empty');
  assert.equal(await getError('patch', { active: '' }), 'active is empty');
  assert.equal(await getError('patch', { active: 'random' }), 'active is invalid');
  assert.equal(await getError('put', { active: '', integrated: true }), 'active is empty');
  assert.equal(await getError('put', { active: true }), 'integrated is missing');
  assert.equal(await getError('put', { active: true, integrated: 'random' }), 'integrated is invalid');
  assert.equal(await getError('put', {}), 'active is missing, active is empty, integrated is missing');
  assert.deepEqual((await maintainer.get(settingsPath(project))).body, settingsBody(false, true));
});

test('rejects active settings without the integrated backend and changes nothing', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const rejected = [400, { message: 'Error tracking setting api url is a required field' }];
  const statusAndBody = async (response: Promise<{ readonly status: number; readonly body: unknown }>) => {
    const { status, body } = await response;
    return [status, body];
  };
  assert.deepEqual(
    await statusAndBody(maintainer.put(settingsPath(project), { active: true, integrated: false })),
    rejected,
  );
  assert.equal((await maintainer.get(settingsPath(project))).status, 404);
  await expectSuccess(maintainer.put(settingsPath(project), { active: true, integrated: true }));
  assert.deepEqual(
    await statusAndBody(maintainer.patch(settingsPath(project), { active: true, integrated: false })),
    rejected,
  );
  assert.deepEqual((await maintainer.get(settingsPath(project))).body, settingsBody(true, true));
  assert.deepEqual(await statusAndBody(maintainer.patch(settingsPath(project), { active: false, integrated: false })), [
    200,
    settingsBody(false, false),
  ]);
  assert.deepEqual(await statusAndBody(maintainer.patch(settingsPath(project), { active: true })), rejected);
});

test('accepts reports without saved settings, and if `active` and `integrated` are both true', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer } = here;
  const { public_key: key } = (await expectSuccess(maintainer.post(`${project.at}/error_tracking/client_keys`))).body;
  const accepted = [await acceptsReports(here, project, key)];
  for (const [active, integrated] of [
    [false, true],
    [true, true],
    [false, false],
  ] as const) {
    await expectSuccess(maintainer.put(settingsPath(project), { active, integrated }));
    accepted.push(await acceptsReports(here, project, key));
  }
  assert.deepEqual(accepted, [true, false, true, false]);
});

test('rejects updates and reports `integrated` as false while the feature flag is off', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer, root } = here;
  await expectSuccess(maintainer.put(settingsPath(project), { active: true, integrated: true }));
  const [{ public_key: key }] = await listKeys(maintainer, project);
  const other = await here.newProject({});
  await expectSuccess(
    root.post('/features/integrated_error_tracking', { value: true, project: other.path_with_namespace }),
  );
  const put = await maintainer.put(settingsPath(project), { active: false, integrated: true });
  assert.deepEqual([put.status, put.body], [404, { message: '404 Not Found' }]);
  assert.deepEqual((await maintainer.get(settingsPath(project))).body, settingsBody(true, false));
  assert.equal((await maintainer.patch(settingsPath(project), { active: true })).status, 400);
  assert.equal(await acceptsReports(here, project, key), false);
  await expectSuccess(root.post('/features/integrated_error_tracking', { value: true }));
  assert.deepEqual((await maintainer.get(settingsPath(project))).body, settingsBody(true, true));
  assert.equal(await acceptsReports(here, project, key), true);
});

test('allows only maintainers to read and update the settings', async () => {
  const here = await world({ project: { visibility: 'public', with: ['reporter', 'developer', 'maintainer'] } });
  const { project } = here;
  const callers = [here.anonymous, await here.user(), here.reporter, here.developer, here.maintainer];
  const put = (by: Caller) => by.put(settingsPath(project), { active: true, integrated: true });
  const statuses = async (call: (by: Caller) => Promise<{ readonly status: number }>) => {
    const received: number[] = [];
    for (const by of callers) received.push((await call(by)).status);
    return received;
  };
  assert.deepEqual(await statuses(put), [401, 403, 403, 403, 200]);
  assert.deepEqual(await statuses((by) => by.get(settingsPath(project))), [401, 403, 403, 403, 200]);
  assert.deepEqual(
    await statuses((by) => by.patch(settingsPath(project), { active: false })),
    [401, 403, 403, 403, 200],
  );
});
