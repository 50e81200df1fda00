import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Project, world } from '#test/support/world.ts';

const here = await world({ project: { with: ['developer'] } });
const { project, owner, developer, anonymous, user, newProject, server } = here;

const at = (target: Project = project) => `${target.at}/alert_integrations`;
const create = (params: object, target: Project = project) => owner.post(at(target), { name: 'Data Dog', ...params });

async function createdIntegration(params: object = {}, target: Project = project) {
  const { status, body } = await create(params, target);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

test('gives each integration its own URL and token, which remain readable', async () => {
  const { id, endpoint_identifier, token, created_at, updated_at, ...rest } = await createdIntegration();
  assert.match(endpoint_identifier, /^[0-9a-f]{16}$/);
  assert.match(token, /^[0-9a-f]{32}$/);
  assert.deepEqual(rest, {
    type: 'http',
    name: 'Data Dog',
    active: true,
    url: `${server.address}/${project.path_with_namespace}/alerts/notify/data-dog/${endpoint_identifier}.json`,
    payload_example: {},
    payload_attribute_mapping: {},
  });
  const { body } = await owner.get(`${at()}/${id}`);
  assert.deepEqual(body, { id, endpoint_identifier, token, created_at, updated_at, ...rest });
});

test('stores no token in plain text', async () => {
  const { id, token } = await createdIntegration();
  const { database } = server.services;
  const row = await database.reader
    .selectFrom('alert_integrations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  assert.ok(!JSON.stringify(row).includes(token));
});

test('the address has the name in it as far as one can, and of a legacy one nothing', async () => {
  const target = await newProject({ owner });
  const base = `${server.address}/${target.path_with_namespace}`;
  const urlOf = async (params: object) => {
    const { url, endpoint_identifier } = await createdIntegration(params, target);
    return url.replace(base, '').replace(endpoint_identifier, 'X');
  };
  assert.equal(await urlOf({ name: '  Grafana (EU) #1!' }), '/alerts/notify/grafana--eu---1/X.json');
  assert.equal(await urlOf({ name: 'Ö' }), '/alerts/notify/http-endpoint/X.json');
  assert.equal(await urlOf({ name: '日本', type: 'prometheus' }), '/alerts/notify/prometheus-endpoint/X.json');
  assert.equal(await urlOf({ name: `${'a'.repeat(62)}-b` }), `/alerts/notify/${'a'.repeat(62)}/X.json`);
  assert.equal(await urlOf({ legacy: true }), '/alerts/notify.json');
  const prometheus = await createdIntegration({ legacy: true, type: 'prometheus' }, target);
  assert.equal(prometheus.endpoint_identifier, 'legacy-prometheus');
  assert.equal(prometheus.url, `${base}/prometheus/alerts/notify.json`);
});

test('limits a project to one legacy integration of each type', async () => {
  const target = await newProject({ owner });
  assert.equal((await createdIntegration({ legacy: true }, target)).endpoint_identifier, 'legacy');
  const again = await create({ legacy: true }, target);
  assert.deepEqual([again.status, again.body], [400, { message: { endpoint_identifier: ['has already been taken'] } }]);
  await createdIntegration({ legacy: true, type: 'prometheus' }, target);
});

test('rejects invalid integrations with the error messages of the contract', async () => {
  for (const [params, body] of [
    [{ name: '' }, { error: 'name is empty' }],
    [{ name: '  ' }, { error: 'name is empty' }],
    [{ name: 'a'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
    [{ type: 'pager' }, { error: 'type does not have a valid value' }],
    [{ active: 'random' }, { error: 'active is invalid' }],
    [{ payload_example: 'no JSON' }, { error: 'payload_example is invalid' }],
    [{ payload_example: '[1]' }, { error: 'payload_example is invalid' }],
    [{ payload_example: [1] }, { error: 'payload_example is invalid' }],
    [{ payload_example: { a: 'x'.repeat(1024 * 1024) } }, { message: 'payload_example JSON is too big' }],
    [
      { payload_attribute_mapping: { title: { path: [], type: 'string' } } },
      { message: { payload_attribute_mapping: ['must be a valid json schema'] } },
    ],
    [{ payload_attribute_mapping: 'x' }, { error: 'payload_attribute_mapping is invalid' }],
  ] as const) {
    const answer = await create(params);
    assert.deepEqual([answer.status, answer.body], [400, body]);
  }
  const { body } = await owner.post(at(), {});
  assert.deepEqual(body, { error: 'name is missing, name is empty' });
});

const MAPPING = { title: { path: ['alert', 'names', 0], type: 'string', label: 'Names' } };

test('keeps omitted and immutable attributes on update', async () => {
  const before = await createdIntegration({
    payload_example: '{"alert":{"names":["a"]}}',
    payload_attribute_mapping: MAPPING,
  });
  assert.deepEqual(before.payload_example, { alert: { names: ['a'] } });
  assert.deepEqual(before.payload_attribute_mapping, MAPPING);
  const ignored = { type: 'prometheus', token: 'x', endpoint_identifier: 'x', legacy: true };
  const { status, body } = await owner.put(`${at()}/${before.id}`, { name: 'Grafana', active: false, ...ignored });
  assert.equal(status, 200);
  const url = before.url.replace('data-dog', 'grafana');
  assert.deepEqual({ ...body, updated_at: '' }, { ...before, name: 'Grafana', active: false, url, updated_at: '' });
  const cleared = await owner.put(`${at()}/${before.id}`, { payload_example: {}, payload_attribute_mapping: {} });
  assert.deepEqual([cleared.body.payload_example, cleared.body.payload_attribute_mapping], [{}, {}]);
  const nothing = await owner.put(`${at()}/${before.id}`, ignored);
  assert.deepEqual(nothing.body, {
    error:
      'name, active, payload_example, payload_attribute_mapping are missing, at least one parameter must be provided',
  });
});

test('changes only the token on a reset', async () => {
  const before = await createdIntegration();
  const { status, body } = await owner.post(`${at()}/${before.id}/reset_token`);
  assert.equal(status, 201);
  assert.match(body.token, /^[0-9a-f]{32}$/);
  assert.notEqual(body.token, before.token);
  assert.deepEqual({ ...body, token: '', updated_at: '' }, { ...before, token: '', updated_at: '' });
  assert.equal((await owner.get(`${at()}/${before.id}`)).body.token, body.token);
});

test('returns 404 for a deleted integration and for one of another project', async () => {
  const { id } = await createdIntegration();
  const other = await newProject({ owner });
  const missing = { message: '404 Alert Integration Not Found' };
  assert.deepEqual((await owner.get(`${at(other)}/${id}`)).body, missing);
  const { status, text } = await owner.delete(`${at()}/${id}`);
  assert.deepEqual([status, text], [204, '']);
  for (const call of [
    owner.get(`${at()}/${id}`),
    owner.put(`${at()}/${id}`, { name: 'x' }),
    owner.delete(`${at()}/${id}`),
    owner.post(`${at()}/${id}/reset_token`),
  ]) {
    const answer = await call;
    assert.deepEqual([answer.status, answer.body], [404, missing]);
  }
  assert.deepEqual((await owner.get(`${at()}/first`)).body, { error: 'integration_id is invalid' });
});

test('lists integrations by id, filtered by type', async () => {
  const target = await newProject({ owner });
  const first = await createdIntegration({ type: 'prometheus' }, target);
  const second = await createdIntegration({}, target);
  const list = async (params: object) => (await owner.get(at(target), params as never)).body;
  assert.deepEqual(await list({}), [first, second]);
  assert.deepEqual(await list({ type: 'http' }), [second]);
  const page = await owner.get(at(target), { per_page: 1, page: 2 });
  assert.deepEqual([page.body, page.headers['x-total']], [[second], '2']);
  assert.deepEqual(await list({ type: 'x' }), { error: 'type does not have a valid value' });
});

test('a list of long examples has each of them whole', async () => {
  const target = await newProject({ owner });
  const exampleOf = (index: number) => ({ index, text: 'x'.repeat(900_000), list: [index, { a: 'é' }] });
  const { id } = await createdIntegration({ payload_example: exampleOf(0) }, target);
  for (let index = 1; index < 6; index++) await createdIntegration({ payload_example: exampleOf(index) }, target);
  assert.deepEqual((await owner.get(`${at(target)}/${id}`)).body.payload_example, exampleOf(0));
  const { body } = await owner.get(at(target), { per_page: 100 });
  assert.equal(body.length, 6);
  for (const [index, { payload_example }] of body.entries()) assert.deepEqual(payload_example, exampleOf(index));
});

test('denies integrations to users below Maintainer', async () => {
  const open = await newProject({ owner, visibility: 'public' });
  const stranger = await user();
  const { id } = await createdIntegration({}, open);
  for (const path of [at(open), `${at(open)}/${id}`]) {
    assert.deepEqual((await anonymous.get(path)).body, { message: '401 Unauthorized' });
    assert.deepEqual((await stranger.get(path)).body, { message: '403 Forbidden' });
  }
  assert.deepEqual((await developer.get(at())).body, { message: '403 Forbidden' });
  assert.deepEqual((await stranger.get(at())).body, { message: '404 Project Not Found' });
  assert.deepEqual((await anonymous.get('/projects/987654/alert_integrations')).status, 401);
});
