import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentRow } from '#test/support/deployment-rows.ts';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';

// Reading environments (contract/environments.md Part 1).

async function make(by: Caller, { at }: Project, ...names: readonly string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const name of names) ids.push((await expectSuccess(by.post(`${at}/environments`, { name }))).body.id);
  return ids;
}

test('shows environments to signed-in users who can see the project', async () => {
  const open = await world({ project: { visibility: 'public', with: ['guest'] } });
  const stranger = await open.user();
  const list = async (by: Caller, at: string) => (await by.get(`${at}/environments`)).status;
  assert.equal(await list(open.anonymous, open.project.at), 401);
  assert.equal(await list(open.anonymous, '/projects/999999999'), 401);
  assert.equal(await list(stranger, open.project.at), 200);
  assert.equal(await list(open.guest, open.project.at), 200);
  const { project, guest, reporter, planner } = await world({ project: { with: ['guest', 'reporter', 'planner'] } });
  const statuses = await Promise.all([stranger, guest, planner, reporter].map((by) => list(by, project.at)));
  assert.deepEqual(statuses, [404, 403, 403, 200]);
});

test('shows members-only environments to Reporters and disabled ones to nobody', async () => {
  const { project, root, owner, guest, reporter, user } = await world({
    project: { visibility: 'public', with: ['guest', 'reporter'] },
  });
  const statuses = async () => {
    const each = [await user(), guest, reporter, owner, root].map((by) => by.get(`${project.at}/environments`));
    return (await Promise.all(each)).map(({ status }) => status);
  };
  const set = (attributes: Readonly<Record<string, unknown>>) => expectSuccess(owner.put(project.at, attributes));
  await set({ environments_access_level: 'private' });
  assert.deepEqual(await statuses(), [403, 403, 200, 200, 200]);
  await set({ environments_access_level: 'disabled' });
  assert.deepEqual(await statuses(), [403, 403, 403, 403, 403]);
  await set({ environments_access_level: 'enabled', builds_access_level: 'disabled' });
  assert.deepEqual(await statuses(), [403, 403, 403, 403, 403]);
  await set({
    builds_access_level: 'enabled',
    merge_requests_access_level: 'disabled',
    repository_access_level: 'disabled',
  });
  assert.deepEqual(await statuses(), [403, 403, 403, 403, 403]);
});

test('shows logs and project in lists, and the last deployment in a single environment', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const [id] = await make(developer, project, 'review/a b');
  const [listed] = (await developer.get(`${project.at}/environments`)).body;
  const logs = {
    enable_advanced_logs_querying: false,
    logs_api_path: `/${project.path_with_namespace}/-/logs/k8s.json?environment_name=review%2Fa%20b`,
  };
  const { project: shown, ...fields } = listed;
  assert.equal(shown.id, project.id);
  assert.equal('owner' in shown, false);
  const alone = (await developer.get(`${project.at}/environments/${id}`)).body;
  assert.deepEqual(alone, { ...fields, ...logs, last_deployment: null });
  assert.deepEqual({ ...fields, ...logs }, fields);
});

test('shows the successful deployment that finished last as the last deployment', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { project, developer } = here;
  const [id] = await make(developer, project, 'prod');
  const add = (row: Parameters<typeof deploymentRow>[3]) => deploymentRow(here, project, { id: id! }, row);
  const last = async () => (await developer.get(`${project.at}/environments/${id}`)).body.last_deployment;
  await add({ status: 'failed' });
  await add({ status: 'running', finished_at: null });
  assert.equal(await last(), null);
  const latest = await add({ finished_at: '2026-03-05T10:00:00.000Z' });
  await add({ finished_at: '2026-03-05T09:00:00.000Z' });
  const shown = await last();
  assert.equal(shown.id, latest);
  assert.deepEqual([shown.deployable, shown.status, 'environment' in shown], [null, 'success', false]);
});

test('filters by exact name', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  await make(developer, project, 'prod', 'Prod', 'prod/eu');
  const named = async (name: string) =>
    (await developer.get(`${project.at}/environments`, { name })).body.map((one: { name: string }) => one.name);
  assert.deepEqual([await named('prod'), await named('PROD'), await named('pro')], [['prod'], [], []]);
  assert.deepEqual(await named(''), ['prod', 'Prod', 'prod/eu']);
});

test('searches by prefix of the name or of its part after the folder', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  await make(developer, project, 'review/test-app', 'Testing', 'a_b_c', 'aXbXc', 'my test', 'a/b/test');
  const found = async (search: string) =>
    (await developer.get(`${project.at}/environments`, { search })).body.map((one: { name: string }) => one.name);
  assert.deepEqual(await found('rev'), ['review/test-app']);
  assert.deepEqual(await found('review/te'), ['review/test-app']);
  assert.deepEqual(await found('TEST'), ['review/test-app', 'Testing']);
  assert.deepEqual(await found('app'), []);
  assert.deepEqual(await found('a_b'), ['a_b_c']);
  assert.deepEqual(await found('%es'), []);
  assert.deepEqual(await found('b/t'), ['a/b/test']);
  assert.deepEqual(await found('ünd'), []);
  assert.equal((await found('')).length, 6);
});

test('requires three characters for a search and rejects it together with name', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const refusal = async (params: Readonly<Record<string, unknown>>) => {
    const { status, body } = await developer.get(`${project.at}/environments`, params);
    return status === 400 && body;
  };
  const short = { message: '400 Bad request - Search query is less than 3 characters' };
  assert.deepEqual([await refusal({ search: 'a' }), await refusal({ search: 'ab' })], [short, short]);
  assert.deepEqual(await refusal({ search: 'abc', name: 'a' }), { error: 'name, search cannot be used together' });
  assert.equal(await refusal({ search: 'abc', name: '' }), false);
  assert.deepEqual(await refusal({ states: 'gone' }), { error: 'states does not have a valid value' });
  assert.equal(await refusal({ states: '' }), false);
});

test('filters by state and paginates by id', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const ids = await make(developer, project, 'a', 'b', 'c');
  await expectSuccess(developer.post(`${project.at}/environments/${ids[1]}/stop`));
  const list = async (params: Readonly<Record<string, unknown>>) => {
    const { body, headers } = await developer.get(`${project.at}/environments`, params);
    return { ids: body.map((one: { id: number }) => one.id), total: headers['x-total'], next: headers['x-next-page'] };
  };
  assert.deepEqual(await list({ states: 'stopped' }), { ids: [ids[1]], total: '1', next: '' });
  assert.deepEqual(await list({ states: 'available' }), { ids: [ids[0], ids[2]], total: '2', next: '' });
  assert.deepEqual(await list({ states: 'stopping' }), { ids: [], total: '0', next: '' });
  assert.deepEqual(await list({ per_page: 2 }), { ids: ids.slice(0, 2), total: '3', next: '2' });
});

test('returns 404 for an unknown id and 400 for an invalid one', async () => {
  const { project, developer, newProject } = await world({ project: { with: ['developer'] } });
  const other = await newProject({});
  const [foreign] = await make(other.owner, other, 'a');
  const read = (id: string | number) => developer.get(`${project.at}/environments/${id}`);
  for (const id of [foreign!, 0, -1, '99999999999999999999']) {
    assert.deepEqual([(await read(id)).status, (await read(id)).body], [404, { message: '404 Not found' }]);
  }
  for (const id of ['abc', 'stop_stale']) {
    assert.deepEqual([(await read(id)).status, (await read(id)).body], [400, { error: 'environment_id is invalid' }]);
  }
});

test('lets a running job read and create environments of its project with its token', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { project, developer, anonymous } = here;
  const { headers } = await runningJob(here, project, { user_id: developer.id });
  const sent = await anonymous.send('POST', `${project.at}/environments`, { params: { name: 'review/job' }, headers });
  assert.equal(sent.status, 201);
  assert.equal((await anonymous.send('GET', `${project.at}/environments/${sent.body.id}`, { headers })).status, 200);
});
