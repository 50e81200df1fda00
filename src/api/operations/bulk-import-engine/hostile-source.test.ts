import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { done, world } from '#test/support/world.ts';
import { fakeSource, importOf, type Said, sayGroup } from './fake-source.testing.ts';

// What a source may do to whoever copies from it, and what it must not learn.

const here = await world();
const { root } = here;
const settings = (change: object) => done(root.put('/application/settings', { ...change }));
await settings({ allow_local_requests_from_web_hooks_and_services: true, max_http_response_size_limit: 1 });

/** The texts of what failed when the labels of a group were answered so. */
async function failuresOf(t: TestContext, ...labels: readonly Said[]) {
  const source = await fakeSource(t);
  sayGroup(source, 'acme', 7, { labels });
  const user = await here.user();
  const { id } = (await done(user.post('/bulk_imports', importOf(source, 'acme', here.name('copy'))))).body;
  await here.work();
  const [{ failures, status }] = (await user.get(`/bulk_imports/${id}/entities`)).body;
  assert.equal(status, 'finished');
  const said = failures.map(({ exception_message }: { exception_message: string }) => exception_message);
  return {
    said,
    asked: source.asked.filter(({ path }) => path.startsWith('/groups/7/labels')).length,
    user,
    id,
    source,
  };
}

const label = { id: 1, name: 'one', color: 'red' };

test('an answer without end is cut where answers end', async (t) => {
  const endless = (_request: unknown, response: ServerResponse) => {
    const piece = Buffer.alloc(65_536, ' ');
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', write);
    response.write('[');
    write();
  };
  const { said, asked } = await failuresOf(t, endless);
  assert.deepEqual([said, asked], [['The answer is longer than 1048576 bytes'], 1]);
});

for (const [what, body, message] of [
  ['nested deeply', JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`), 'The answer is no JSON, or holds too much'],
  ['of very many elements', Array.from({ length: 60_000 }, () => 1), 'The answer is no JSON, or holds too much'],
  [
    'of more elements than a page has',
    Array.from({ length: 2000 }, () => label),
    'The answer of the source is no list',
  ],
  ['that is no list', { labels: [] }, 'The answer of the source is no list'],
  ['that is nothing', null, 'The answer of the source is no list'],
] as const) {
  test(`an answer ${what} is a failure, and nothing else`, async (t) => {
    const { said, asked } = await failuresOf(t, { body });
    assert.deepEqual([said, asked], [[message], 1]);
  });
}

test('the same page again and again ends the list', async (t) => {
  const { said, asked } = await failuresOf(t, { body: [label], headers: { 'x-next-page': '2' } });
  assert.deepEqual([said, asked], [['The source lists the same labels again and again'], 2]);
});

test('elements of any type are failures of their own', async (t) => {
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
  const { said } = await failuresOf(t, { body: [...bad, label] });
  assert.equal(said.length, bad.length);
});

test('characters that no database keeps are in no record of a failure, nor in what is kept of a version', async (t) => {
  const source = await fakeSource(t);
  const broken = { id: 1, iid: 1, title: 'a\u0000b', web_url: 'http://a\u0000\ud800', state: 'active' };
  sayGroup(source, 'acme', 7, { milestones: [{ body: [broken, { ...broken, id: 2, title: '\ud800' }] }] });
  source.say('/version', { body: { version: '18.9\u0000\ud800' } });
  const user = await here.user();
  const { id } = (await done(user.post('/bulk_imports', importOf(source, 'acme', here.name('copy'))))).body;
  await here.work();
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

test('a redirect leads to no address that is blocked, and twice at most', async (t) => {
  const source = await fakeSource(t);
  await settings({
    allow_local_requests_from_web_hooks_and_services: false,
    outbound_local_requests_whitelist: [new URL(source.url).host],
  });
  t.after(() => settings({ allow_local_requests_from_web_hooks_and_services: true }));
  const user = await here.user();
  const message = async () =>
    (await user.post('/bulk_imports', importOf(source, 'acme', here.name('copy')))).body.message;
  for (const [location, reason] of [
    ['http://169.254.169.254/latest', 'URL is blocked: Requests to the link local network are not allowed'],
    ['http://10.0.0.1/', 'URL is blocked: Requests to the local network are not allowed'],
    ['http://[::ffff:127.0.0.1]:1/', 'URL is blocked: Requests to localhost are not allowed'],
    ['ftp://src.example/', 'URL is blocked: Only allowed schemes are http, https'],
    ['/api/v4/version', 'Invalid source URL. Enter only the base URL of the source instance.'],
  ]) {
    source.say('/version', { status: 302, headers: { location: location! } });
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
  test(`nobody is asked at ${url}`, async (t) => {
    await settings({ allow_local_requests_from_web_hooks_and_services: false });
    t.after(() => settings({ allow_local_requests_from_web_hooks_and_services: true }));
    const user = await here.user();
    const answer = await user.post('/bulk_imports', importOf({ url }, 'acme', here.name('copy')));
    assert.deepEqual([answer.status, answer.body], [422, { message: `URL is blocked: ${reason}` }]);
  });
}

test('the token is a header to the source, and nowhere else', async (t) => {
  const elsewhere = await fakeSource(t);
  elsewhere.say('/groups/7/milestones', { body: [] });
  const source = await fakeSource(t);
  const location = `${elsewhere.url}/api/v4/groups/7/milestones`;
  sayGroup(source, 'acme', 7, { milestones: [{ status: 307, headers: { location } }], labels: [{ status: 400 }] });
  const user = await here.user();
  const secret = 'sesame-of-the-source';
  const said: string[] = [];
  here.listen(({ answer }) => said.push(JSON.stringify([answer.body, answer.headers])));
  const { id } = (await done(user.post('/bulk_imports', importOf(source, 'acme', here.name('copy'))))).body;
  await here.work();
  const { failures } = (await user.get(`/bulk_imports/${id}/entities`)).body[0];
  assert.equal(failures.length, 1);
  for (const { path, headers } of source.asked) {
    assert.equal(headers['private-token'], secret);
    assert.match(headers['user-agent']!, /^Hearth\//);
    assert.equal(headers.accept, 'application/json');
    assert.doesNotMatch(path, /sesame/);
  }
  assert.equal(elsewhere.asked.length, 1);
  const texts = [here.logged(), ...said, JSON.stringify(elsewhere.asked), ...(await storedTexts())];
  for (const text of texts) assert.equal(text.includes(secret), false);
});

/** Whatever is in the files of the data directory: on PostgreSQL the rows are elsewhere. */
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
