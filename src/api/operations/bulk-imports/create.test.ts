import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';
import { buildImportInput, serveGroup, startFakeSource } from '../bulk-import-engine/fake-source.testing.ts';

const here = await world();
await here.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true });

const PATH_TEXT = (what: string) =>
  `must be a relative path and not include protocol, sub-domain, or domain information. For example, '${what}/full/path' not 'https://example.com/${what}/full/path'`;
const SLUG_TEXT =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'. For example, 'destination_namespace' not 'destination/namespace'";
const CHECK_TEXT =
  'Check that the source instance base URL and the personal access token meet the necessary requirements.';
const configuration = { url: 'http://127.0.0.1:1', access_token: 'sesame' };
const group = {
  source_type: 'group_entity',
  source_full_path: 'acme',
  destination_namespace: '',
  destination_slug: 'acme',
};

async function importsOf(caller: Caller): Promise<number> {
  return (await caller.get('/bulk_imports')).body.length;
}

for (const [change, error] of [
  [{ source_type: 'wiki' }, 'source_type] does not have a valid value'],
  [{ source_full_path: 'https://src.example/acme' }, `source_full_path] ${PATH_TEXT('source')}`],
  [{ source_full_path: 'acme/' }, `source_full_path] ${PATH_TEXT('source')}`],
  [{ source_full_path: 'api/acme' }, `source_full_path] ${PATH_TEXT('source')}`],
  [{ source_type: 'project_entity' }, `source_full_path] ${PATH_TEXT('source')}`],
  [
    { source_type: 'project_entity', destination_slug: '-' },
    `source_full_path] ${PATH_TEXT('source')}, entities[0][destination_slug] ${SLUG_TEXT}`,
  ],
  [{ destination_namespace: '/a' }, `destination_namespace] ${PATH_TEXT('destination')}`],
  [{ destination_slug: 'a/b' }, `destination_slug] ${SLUG_TEXT}`],
  [{ destination_slug: '_a' }, `destination_slug] ${SLUG_TEXT}`],
  [{ destination_slug: 'a.git' }, `destination_slug] ${SLUG_TEXT}`],
  [{ destination_slug: undefined, destination_name: '-' }, `destination_name] ${SLUG_TEXT}`],
  [{ destination_name: 'b' }, 'destination_slug], entities[0][destination_name] are mutually exclusive'],
  [
    { destination_slug: undefined },
    'destination_slug], entities[0][destination_name] are missing, at least one parameter must be provided',
  ],
  [{ migrate_projects: 'perhaps' }, 'migrate_projects] is invalid'],
  [{ migrate_memberships: 'perhaps' }, 'migrate_memberships] is invalid'],
] as const) {
  test(`rejects ${JSON.stringify(change)} without a request to the source`, async () => {
    const user = await here.user();
    const answer = await user.post('/bulk_imports', { configuration, entities: [{ ...group, ...change }] });
    assert.deepEqual([answer.status, answer.body], [400, { error: `entities[0][${error}` }]);
    assert.equal(await importsOf(user), 0);
  });
}

test('aborts the call to the source when the client disconnects', async (t) => {
  const source = await startFakeSource(t);
  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  source.respond('/version', (_request, response) => {
    asked.resolve();
    response.on('close', left.resolve);
  });
  const user = await here.user();
  const raw = JSON.stringify(buildImportInput(source, 'acme', here.name('copy')));
  const headers = { 'private-token': user.token!, 'content-type': 'application/json' };
  const sent = request(`${here.server.address}/api/v4/bulk_imports`, { method: 'POST', headers, agent: false });
  sent.on('error', () => {});
  sent.end(raw);
  await asked.promise;
  sent.destroy();
  await left.promise;
});

test('requires the configuration and at least one entity', async () => {
  const user = await here.user();
  for (const [params, error] of [
    [{ entities: [group] }, 'configuration is missing'],
    [{ configuration: {}, entities: [group] }, 'configuration[url] is missing, configuration[access_token] is missing'],
    [{ configuration, entities: [] }, 'entities is empty'],
    [{ configuration }, 'entities is missing'],
    [
      { configuration, entities: [{}] },
      'entities[0][source_type] is missing, entities[0][source_type] does not have a valid value, entities[0][source_full_path] is missing, entities[0][destination_namespace] is missing, entities[0][destination_slug], entities[0][destination_name] are missing, at least one parameter must be provided',
    ],
  ] as const) {
    const answer = await user.post('/bulk_imports', params);
    assert.deepEqual([answer.status, answer.body], [400, { error }]);
  }
});

test('creates an import from JSON and from a form, with one element or a list', async (t) => {
  const source = await startFakeSource(t);
  serveGroup(source, 'acme', 7);
  const user = await here.user();
  const [entity] = buildImportInput(source, 'acme', here.name('made')).entities;
  for (const entities of [[entity], { ...entity, destination_slug: here.name('made') }]) {
    const { status, body } = await user.post('/bulk_imports', { ...buildImportInput(source, 'acme', ''), entities });
    assert.equal(status, 201);
    const { id, created_at, updated_at, ...rest } = body;
    assert.deepEqual(rest, { status: 'created', source_type: 'gitlab', source_url: source.url, has_failures: false });
    assert.deepEqual([typeof id, updated_at], ['number', created_at]);
  }
  const form = new URLSearchParams({ 'configuration[url]': source.url, 'configuration[access_token]': 'sesame' });
  for (const [name, value] of Object.entries({ ...entity!, destination_slug: here.name('made') })) {
    form.append(`entities[0][${name}]`, String(value));
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal((await user.send('POST', '/bulk_imports', { raw: form.toString(), headers })).status, 201);
  await here.runJobs();
});

const acme = (version = '18.9.0') => ({ version, enterprise: true });

for (const [said, answers, message] of [
  [
    'no version',
    { '/version': { status: 404 } },
    'Invalid source URL. Enter only the base URL of the source instance.',
  ],
  [
    'no such version',
    { '/version': { body: [] } },
    'Invalid source URL. Enter only the base URL of the source instance.',
  ],
  ['that nobody is known', { '/version': { status: 401 }, '/metadata': { status: 401 } }, CHECK_TEXT],
  [
    'that it is broken',
    { '/version': { status: 500 }, '/metadata': { status: 500 } },
    'Unsuccessful response 500 from /api/v4/metadata',
  ],
  [
    'an old version',
    { '/version': { body: acme('13.12.3') } },
    "Unsupported source version. The minimum supported version is '14'.",
  ],
  ['a narrow token', { '/personal_access_tokens/self': { body: { scopes: ['read_api'] } } }, CHECK_TEXT],
  ['no token', { '/personal_access_tokens/self': { status: 404 } }, CHECK_TEXT],
  ['no group', { '/groups/acme': { status: 404 } }, "Import failed. 'acme' not found."],
  ['another group', { '/groups/acme': { body: { id: 7, full_path: 'other' } } }, "Import failed. 'acme' not found."],
  [
    'no export',
    { '/groups/7/export_relations/status': { status: 404 } },
    'Migration by direct transfer is disabled on the source or destination instance. Ask an administrator to enable this feature on both instances and try again.',
  ],
  [
    'no right to export',
    { '/groups/7/export_relations/status': { status: 403 } },
    "Import failed. You do not have permission to export 'acme'.",
  ],
] as const) {
  test(`stores nothing when the source responds with ${said}`, async (t) => {
    const source = await startFakeSource(t);
    serveGroup(source, 'acme', 7);
    for (const [path, answer] of Object.entries(answers)) source.respond(path, answer);
    const user = await here.user();
    const answer = await user.post('/bulk_imports', buildImportInput(source, 'acme', here.name('never')));
    assert.deepEqual([answer.status, answer.body], [422, { message }]);
    assert.equal(await importsOf(user), 0);
  });
}

test('uses `/metadata` of an older source and skips the check of token scopes', async (t) => {
  const source = await startFakeSource(t);
  serveGroup(source, 'acme', 7);
  source.respond('/version', { status: 404 });
  source.respond('/metadata', { body: acme('15.4.0') });
  source.respond('/personal_access_tokens/self', { status: 404 });
  const user = await here.user();
  assert.equal((await user.post('/bulk_imports', buildImportInput(source, 'acme', here.name('old')))).status, 201);
  await here.runJobs();
});

test('names host and port of an unreachable source, and blocks an invalid URL', async () => {
  const user = await here.user();
  const ask = async (url: string) =>
    (await user.post('/bulk_imports', buildImportInput({ url }, 'acme', here.name('never')))).body.message as string;
  assert.match(await ask('http://127.0.0.1:1'), /^Failed to open TCP connection to 127\.0\.0\.1:1/);
  assert.equal(await ask('ftp://src.example'), 'URL is blocked: Only allowed schemes are http, https');
  assert.equal(await ask('file:///etc/passwd'), 'URL is blocked: Only allowed schemes are http, https');
  assert.equal(await ask('nonsense'), 'URL is blocked: Host cannot be resolved or invalid');
});

test('rejects a destination that exists or that the caller may not create', async (t) => {
  const source = await startFakeSource(t);
  serveGroup(source, 'acme', 7);
  source.respond('/projects/acme%2Fapi', { body: { id: 8, path_with_namespace: 'acme/api' } });
  source.respond('/projects/8/export_relations/status', { body: [] });
  const { at: _, owner, developer, path } = await here.newGroup({ with: ['developer'] });
  const project = { source_type: 'project_entity', source_full_path: 'acme/api' };
  const message = async (by: Caller, slug: string, more: object) =>
    (await by.post('/bulk_imports', buildImportInput(source, 'acme', slug, more))).body.message;
  const noRight = `Import failed. '${path}' is invalid, or you do not have permission.`;
  assert.equal(await message(developer, 'a', { destination_namespace: path }), noRight);
  assert.equal(await message(developer, 'a', { ...project, destination_namespace: path }), noRight);
  const personal = `Import failed. '${owner.username}' is invalid, or you do not have permission.`;
  assert.equal(await message(owner, 'a', { destination_namespace: owner.username }), personal);
  assert.equal(
    await message(owner, path.toUpperCase(), {}),
    `Import failed. '${path.toUpperCase()}' already exists. Change the destination and try again.`,
  );
  assert.equal(await message(owner, 'a', project), "Validation failed: Destination namespace can't be blank");
});

test('limits URL and token to 255 characters', async (t) => {
  const source = await startFakeSource(t);
  serveGroup(source, 'acme', 7);
  const user = await here.user();
  const wanted = buildImportInput(source, 'acme', here.name('never'));
  const long = { ...wanted, configuration: { url: source.url, access_token: 'x'.repeat(256) } };
  assert.equal(
    (await user.post('/bulk_imports', long)).body.message,
    'Validation failed: Access token is too long (maximum is 255 characters)',
  );
  const url = `${source.url}${'/'.repeat(256)}`;
  assert.equal(
    (await user.post('/bulk_imports', { ...wanted, configuration: { url, access_token: 'x' } })).body.message,
    'Validation failed: Url is too long (maximum is 255 characters)',
  );
});

test('returns 429 for the seventh import in a minute', async () => {
  const user = await here.user();
  const ask = () => user.post('/bulk_imports', { configuration: { url: 'x', access_token: 'x' }, entities: [group] });
  for (let count = 0; count < 6; count++) assert.equal((await ask()).status, 422);
  // Requests with invalid parameters are not counted.
  assert.equal((await user.post('/bulk_imports', { configuration })).status, 400);
  const { status, body, headers } = await ask();
  const error = 'This endpoint has been requested too many times. Try again later.';
  assert.deepEqual([status, body, headers['retry-after']], [429, { message: { error } }, '60']);
});

test('rejects importing a group of this server into itself or its descendants', async () => {
  const { path, owner } = await here.newGroup();
  const url = here.server.address;
  const wanted = buildImportInput({ url }, path, 'copy', { destination_namespace: path });
  const answer = await owner.post('/bulk_imports', { ...wanted, configuration: { url, access_token: owner.token } });
  assert.deepEqual(answer.body, {
    message:
      'Validation failed: Import failed. The destination cannot be a subgroup of the source group. Change the destination and try again.',
  });
});
