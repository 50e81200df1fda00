import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { buildImportInput, type FakeResponse, serveGroup, startFakeSource } from './fake-source.testing.ts';

// A malicious source cannot harm the destination and learns no secrets.

const here = await world();
const { root } = here;
const settings = (change: object) => expectSuccess(root.put('/application/settings', { ...change }));
await settings({ allow_local_requests_from_web_hooks_and_services: true, max_http_response_size_limit: 1 });

/** Returns the failure messages of an import whose source responds like this to the list of labels. */
async function failuresOf(t: TestContext, ...labels: readonly FakeResponse[]) {
  const source = await startFakeSource(t);
  serveGroup(source, 'acme', 7, { labels });
  const user = await here.user();
  const { id } = (await expectSuccess(user.post('/bulk_imports', buildImportInput(source, 'acme', here.name('copy')))))
    .body;
  await here.runJobs();
  const [{ failures, status }] = (await user.get(`/bulk_imports/${id}/entities`)).body;
  assert.equal(status, 'finished');
  const messages = failures.map(({ exception_message }: { exception_message: string }) => exception_message);
  return {
    messages,
    requestCount: source.requests.filter(({ path }) => path.startsWith('/groups/7/labels')).length,
    user,
    id,
    source,
  };
}

const label = { id: 1, name: 'one', color: 'red' };

test('aborts an endless response at the size limit', async (t) => {
  const endless = (_request: unknown, response: ServerResponse) => {
    const piece = Buffer.alloc(65_536, ' ');
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', write);
    response.write('[');
    write();
  };
  const { messages, requestCount } = await failuresOf(t, endless);
  assert.deepEqual([messages, requestCount], [['The answer is longer than 1048576 bytes'], 1]);
});

for (const [what, body, message] of [
  ['nested deeply', JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`), 'The answer is no JSON, or holds too much'],
  ['of very many elements', Array.from({ length: 60_000 }, () => 1), 'The answer is no JSON, or holds too much'],
  [
    'of more elements than a page has',
    Array.from({ length: 2000 }, () => label),
    'The response of the source is not a list',
  ],
  ['that is no list', { labels: [] }, 'The response of the source is not a list'],
  ['that is nothing', null, 'The response of the source is not a list'],
] as const) {
  test(`records one failure for a response ${what}`, async (t) => {
    const { messages, requestCount } = await failuresOf(t, { body });
    assert.deepEqual([messages, requestCount], [[message], 1]);
  });
}

test('fails a list whose source repeats the same page', async (t) => {
  const { messages, requestCount } = await failuresOf(t, { body: [label], headers: { 'x-next-page': '2' } });
  assert.deepEqual([messages, requestCount], [['The source lists the same labels again and again'], 2]);
});

test('reads all pages of elements without id and name', async (t) => {
  const first = { body: [{ color: 'red' }], headers: { 'x-next-page': '2' } };
  const { messages, requestCount } = await failuresOf(t, first, { body: [{ color: 'blue' }] });
  assert.deepEqual([new Set(messages).size, messages.length, requestCount], [1, 2, 2]);
});

test('records a failure for each element of a wrong type', async (t) => {
  const bad = [
    null,
    1,
    [],
    'text',
    {},
    { ...label, id: 'x' },
    { ...label, id: 2, name: {} },
    { ...label, id: 3, name: 'a\u0000b' },
  ];
  const { messages } = await failuresOf(t, { body: [...bad, label] });
  assert.equal(messages.length, bad.length);
});

test('removes characters that databases reject from failure records and versions', async (t) => {
  const source = await startFakeSource(t);
  const broken = { id: 1, iid: 1, title: 'a\u0000b', web_url: 'http://a\u0000\ud800', state: 'active' };
  serveGroup(source, 'acme', 7, { milestones: [{ body: [broken, { ...broken, id: 2, title: '\ud800' }] }] });
  source.respond('/version', { body: { version: '18.9\u0000\ud800' } });
  const user = await here.user();
  const { id } = (await expectSuccess(user.post('/bulk_imports', buildImportInput(source, 'acme', here.name('copy')))))
    .body;
  await here.runJobs();
  const [{ failures, status }] = (await user.get(`/bulk_imports/${id}/entities`)).body;
  assert.equal(status, 'finished');
  assert.deepEqual(
    failures.map((one: Record<string, unknown>) => [one.source_title, one.source_url]),
    [
      ['a\ufffdb', 'http://a\ufffd\ufffd'],
      ['\ufffd', 'http://a\ufffd\ufffd'],
    ],
  );
});

test('follows at most two redirects, none of them to a blocked address', async (t) => {
  const source = await startFakeSource(t);
  await settings({
    allow_local_requests_from_web_hooks_and_services: false,
    outbound_local_requests_whitelist: [new URL(source.url).host],
  });
  t.after(() => settings({ allow_local_requests_from_web_hooks_and_services: true }));
  const user = await here.user();
  const message = async () =>
    (await user.post('/bulk_imports', buildImportInput(source, 'acme', here.name('copy')))).body.message;
  for (const [location, reason] of [
    ['http://169.254.169.254/latest', 'URL is blocked: Requests to the link local network are not allowed'],
    ['http://10.0.0.1/', 'URL is blocked: Requests to the local network are not allowed'],
    ['http://[::ffff:127.0.0.1]:1/', 'URL is blocked: Requests to localhost are not allowed'],
    ['ftp://src.example/', 'URL is blocked: Only allowed schemes are http, https'],
    ['/api/v4/version', 'Invalid source URL. Enter only the base URL of the source instance.'],
  ]) {
    source.respond('/version', { status: 302, headers: { location: location! } });
    assert.equal(await message(), reason);
  }
});

for (const [url, reason] of [
  ['http://127.0.0.1:1', 'Requests to localhost are not allowed'],
  ['http://0.0.0.0', 'Requests to localhost are not allowed'],
  ['http://[::ffff:10.0.0.1]', 'Requests to the local network are not allowed'],
  ['http://169.254.169.254', 'Requests to the link local network are not allowed'],
  ['http://100.64.0.1', 'Requests to the shared address space are not allowed'],
] as const) {
  test(`sends no request to ${url}`, async (t) => {
    await settings({ allow_local_requests_from_web_hooks_and_services: false });
    t.after(() => settings({ allow_local_requests_from_web_hooks_and_services: true }));
    const user = await here.user();
    const answer = await user.post('/bulk_imports', buildImportInput({ url }, 'acme', here.name('copy')));
    assert.deepEqual([answer.status, answer.body], [422, { message: `URL is blocked: ${reason}` }]);
  });
}

test('sends the token only as a header to the source, and stores it nowhere in plain text', async (t) => {
  const elsewhere = await startFakeSource(t);
  elsewhere.respond('/groups/7/milestones', { body: [] });
  const source = await startFakeSource(t);
  const location = `${elsewhere.url}/api/v4/groups/7/milestones`;
  serveGroup(source, 'acme', 7, { milestones: [{ status: 307, headers: { location } }], labels: [{ status: 400 }] });
  const user = await here.user();
  const secret = 'sesame-of-the-source';
  const messages: string[] = [];
  here.listen(({ response: answer }) => messages.push(JSON.stringify([answer.body, answer.headers])));
  const { id } = (await expectSuccess(user.post('/bulk_imports', buildImportInput(source, 'acme', here.name('copy')))))
    .body;
  await here.runJobs();
  const { failures } = (await user.get(`/bulk_imports/${id}/entities`)).body[0];
  assert.equal(failures.length, 1);
  for (const { path, headers } of source.requests) {
    assert.equal(headers['private-token'], secret);
    assert.match(headers['user-agent']!, /^Hearth\//);
    assert.equal(headers.accept, 'application/json');
    assert.doesNotMatch(path, /sesame/);
  }
  assert.equal(elsewhere.requests.length, 1);
  const texts = [here.logged(), ...messages, JSON.stringify(elsewhere.requests), ...(await storedTexts())];
  for (const text of texts) assert.equal(text.includes(secret), false);
});

/** Returns the content of all files in the data directory; with PostgreSQL the rows are not in it. */
async function storedTexts(): Promise<string[]> {
  const { dataDir } = here.server.services.config;
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const read = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  const rows = await here.server.services.database.reader
    .selectFrom('bulk_import_configurations')
    .selectAll()
    .execute();
  return [...(await Promise.all(read)), JSON.stringify(rows)];
}

test('imports groups that list themselves and each other once', async (t) => {
  const source = await startFakeSource(t);
  const listed = (id: number, path: string) => ({ id, path: path.split('/').at(-1), full_path: path });
  const [acme, one, two] = [listed(7, 'acme'), listed(8, 'acme/one'), listed(9, 'acme/two')];
  const all = { subgroups: [{ body: [acme, one, two] }] };
  for (const { id, full_path } of [acme, one, two]) serveGroup(source, full_path, id, all);
  const user = await here.user();
  const { id } = (await expectSuccess(user.post('/bulk_imports', buildImportInput(source, 'acme', here.name('copy')))))
    .body;
  await here.runJobs();
  const { body } = await user.get(`/bulk_imports/${id}/entities?sort=asc`);
  const paths = body.map(({ source_full_path }: { source_full_path: string }) => source_full_path);
  assert.deepEqual(paths, ['acme', 'acme/one', 'acme/two']);
});
