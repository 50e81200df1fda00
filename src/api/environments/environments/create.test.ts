import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// Making environments (contract/environments.md Part 1).

test('creates an environment with guessed tier and slug, without logs and deployments', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const { status, body } = await developer.post(`${project.at}/environments`, { name: 'review/fix-foo' });
  assert.equal(status, 201);
  const { id, created_at, updated_at, project: shown, ...rest } = body;
  assert.equal(shown.path_with_namespace, project.path_with_namespace);
  assert.equal(created_at, updated_at);
  assert.ok(id > 0);
  assert.deepEqual(rest, {
    name: 'review/fix-foo',
    slug: 'review-fix-foo-v25cyx',
    external_url: null,
    tier: 'development',
    state: 'available',
    auto_stop_at: null,
    description: null,
    auto_stop_setting: 'always',
  });
});

test('accepts all attributes by form and JSON', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const { status, body } = await developer.send('POST', `${project.at}/environments`, {
    raw: 'name=prod&tier=other&external_url=https%3A%2F%2Fa.example&description=Here&auto_stop_setting=with_action',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(status, 201);
  const { slug, tier, external_url, description, auto_stop_setting } = body;
  assert.deepEqual(
    [slug, tier, external_url, description, auto_stop_setting],
    ['prod', 'other', 'https://a.example', 'Here', 'with_action'],
  );
});

test('returns full sentences for an invalid name', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const refusal = async (params: Readonly<Record<string, unknown>>) => {
    const { status, body } = await developer.post(`${project.at}/environments`, params);
    assert.equal(status, 400);
    return body;
  };
  const characters =
    "Name can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
  assert.deepEqual(await refusal({}), { error: 'name is missing' });
  assert.deepEqual(await refusal({ name: '' }), { message: ["Name can't be blank", characters] });
  assert.deepEqual(await refusal({ name: ' ' }), { message: ["Name can't be blank"] });
  assert.deepEqual(await refusal({ name: 'a/' }), { message: [characters] });
  assert.deepEqual(await refusal({ name: 'a'.repeat(256) }), {
    message: ['Name is too long (maximum is 255 characters)'],
  });
  assert.deepEqual((await developer.get(`${project.at}/environments`)).body, []);
});

test('validates the attributes together with the name', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const refusal = async (params: Readonly<Record<string, unknown>>) =>
    (await developer.post(`${project.at}/environments`, { name: 'a', ...params })).body;
  assert.deepEqual(await refusal({ tier: 'gold' }), { error: 'tier does not have a valid value' });
  assert.deepEqual(await refusal({ auto_stop_setting: 'x' }), {
    error: 'auto_stop_setting does not have a valid value',
  });
  for (const slug of ['a', '', null, {}]) {
    assert.deepEqual(await refusal({ slug }), { error: 'slug is automatically generated and cannot be changed' });
  }
  const wrong = { external_url: 'JavaScript:a', description: 'a'.repeat(10_001) };
  assert.deepEqual(await refusal(wrong), {
    message: ['External url javascript scheme is not allowed', 'Description is too long (maximum is 10000 characters)'],
  });
  const noAgent = "400 Bad request - cluster agent doesn't exist or cannot be associated with this environment";
  assert.deepEqual(await refusal({ cluster_agent_id: 1 }), { message: noAgent });
  assert.deepEqual(await refusal({ kubernetes_namespace: 'a' }), {
    message: ['Kubernetes namespace cannot be set without a cluster agent'],
  });
  assert.deepEqual(await refusal({ flux_resource_path: 'a' }), {
    message: ['Flux resource path cannot be set without a kubernetes namespace'],
  });
  assert.deepEqual((await developer.get(`${project.at}/environments`)).body, []);
});

test('rejects a taken name, case-sensitively, and a taken slug', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const create = (name: string) => developer.post(`${project.at}/environments`, { name });
  assert.equal((await create('foo')).status, 201);
  const taken = ['Name has already been taken', 'Slug has already been taken'];
  assert.deepEqual((await create('foo')).body, { message: taken });
  assert.deepEqual((await create('foo-')).body, { message: ['Slug has already been taken'] });
  const wrong = await developer.post(`${project.at}/environments`, { name: 'foo', external_url: 'http://' });
  assert.deepEqual(wrong.body, { message: [...taken, 'External url URI is invalid'] });
  assert.equal((await create('Foo')).status, 201);
});

test('creates one environment on ten concurrent requests with one name', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const create = () => developer.post(`${project.at}/environments`, { name: 'production' });
  const statuses = (await Promise.all(Array.from({ length: 10 }, create))).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [201, ...Array.from({ length: 9 }, () => 400)]);
  assert.equal((await developer.get(`${project.at}/environments`)).body.length, 1);
});

test('guesses a missing tier and treats a blank URL as none', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const create = async (params: Readonly<Record<string, unknown>>) =>
    (await developer.post(`${project.at}/environments`, params)).body;
  assert.equal((await create({ name: 'production-test', tier: null })).tier, 'testing');
  assert.equal((await create({ name: 'prod', tier: 'development' })).tier, 'development');
  const { external_url, description } = await create({ name: 'canary', external_url: '', description: '' });
  assert.deepEqual([external_url, description], [null, null]);
});

test('defaults to with_action for production and staging if the flag is on', async () => {
  const { project, developer, root } = await world({ project: { with: ['developer'] } });
  await root.post('/features/new_default_for_auto_stop', { value: true, project: project.path_with_namespace });
  const setting = async (name: string, params = {}) =>
    (await developer.post(`${project.at}/environments`, { name, ...params })).body.auto_stop_setting;
  assert.deepEqual(
    [await setting('prod'), await setting('staging'), await setting('dev')],
    ['with_action', 'with_action', 'always'],
  );
  assert.equal(await setting('prod/eu', { auto_stop_setting: 'always' }), 'always');
});

test('lets Developers create environments except in archived projects', async () => {
  const { project, developer, reporter, owner, anonymous } = await world({
    project: { with: ['developer', 'reporter'] },
  });
  const create = (by: typeof owner, name: string) => by.post(`${project.at}/environments`, { name });
  assert.deepEqual([(await create(anonymous, 'a')).status, (await create(reporter, 'a')).status], [401, 403]);
  assert.equal((await create(developer, 'a')).status, 201);
  await owner.post(`${project.at}/archive`);
  assert.equal((await create(owner, 'b')).status, 403);
  assert.equal((await developer.get(`${project.at}/environments`)).status, 200);
});
