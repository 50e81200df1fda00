import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

// Audit events by keyset, forth and back, in each of the three logs (contract/conventions.md §6).

const { root, user, name, anonymous, newProject, newGroup } = await world();

const idsOf = ({ body }: TestResponse): number[] => body.map(({ id }: { id: number }) => id);

function next({ headers }: TestResponse): string | null {
  const link = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1];
  assert.equal(headers.link === undefined, link === undefined, 'no link but the next');
  return link === undefined ? null : link.slice(link.indexOf('/api/v4') + '/api/v4'.length);
}

async function places() {
  const mira = await user();
  const path = name('group');
  const group = await newGroup({ owner: mira, name: path, path });
  const project = await newProject({ owner: mira, in: group });
  for (let round = 0; round < 6; round++) {
    await mira.put(group.at, { description: `text ${round}` });
    await mira.put(project.at, { description: `text ${round}` });
  }
  return { mira, paths: [`${group.at}/audit_events`, `${project.at}/audit_events`] };
}

const { mira, paths } = await places();
const LOGS = [[root, '/audit_events'] as const, ...paths.map((path) => [mira, path] as const)];

/** Every page by the links, from the latest event on. */
async function forth(caller: Caller, path: string): Promise<TestResponse[]> {
  const pages = [await caller.get(path, { pagination: 'keyset', per_page: 2, order_by: 'id', sort: 'desc' })];
  for (let link = next(pages[0] as TestResponse); link !== null; link = next(pages.at(-1) as TestResponse)) {
    pages.push(await caller.get(link));
  }
  return pages;
}

test('returns every event by links and by cursors, newest first', async () => {
  for (const [caller, path] of LOGS) {
    const all = idsOf(await caller.get(path, { pagination: 'keyset', per_page: 100 }));
    assert.ok(all.length > 5);
    assert.deepEqual(
      [...all].sort((a, b) => b - a),
      all,
      'the highest id first',
    );
    const pages = await forth(caller, path);
    for (const [index, page] of pages.entries()) {
      const following = pages[index + 1];
      assert.equal(page.headers['x-next-cursor'] === undefined, following === undefined);
      if (following === undefined) break;
      const cursor = String(page.headers['x-next-cursor']);
      const byCursor = await caller.get(path, { pagination: 'keyset', per_page: 2, cursor });
      assert.deepEqual(idsOf(byCursor), idsOf(following));
    }
    assert.deepEqual(pages.flatMap(idsOf), all);
  }
});

test('pages backwards by cursors to the first page', async () => {
  for (const [caller, path] of LOGS) {
    const pages = await forth(caller, path);
    assert.equal(pages[0]?.headers['x-prev-cursor'], undefined, 'nothing is before the first page');
    let answer = pages.at(-1) as TestResponse;
    for (const page of pages.slice(0, -1).reverse()) {
      const cursor = String(answer.headers['x-prev-cursor']);
      answer = await caller.get(path, { pagination: 'keyset', per_page: 2, cursor });
      assert.deepEqual(idsOf(answer), idsOf(page));
    }
    assert.equal(answer.headers['x-prev-cursor'], undefined);
  }
});

test('omits totals from keyset pages, for HEAD too', async () => {
  for (const [caller, path] of LOGS) {
    const params = { pagination: 'keyset', per_page: 2 };
    const [page, head] = [await caller.get(path, params), await caller.head(path, params)];
    for (const header of ['x-total', 'x-total-pages', 'x-page', 'x-per-page', 'x-next-page', 'x-prev-page']) {
      assert.equal(page.headers[header], undefined, header);
    }
    assert.deepEqual([head.status, head.headers.link, head.headers.etag], [200, page.headers.link, page.headers.etag]);
  }
});

test('accepts cursors in base64url JSON only', async () => {
  const { headers } = await root.get('/audit_events', { pagination: 'keyset', per_page: 1 });
  const cursor = String(headers['x-next-cursor']);
  assert.match(cursor, /^[\w-]+$/);
  const key = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  assert.equal(key._kd, 'n');
  assert.ok(Number.isInteger(key.id));
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const broken of [
    ...['x', '%', '!!!', 'e30', 'bnVsbA', 'W10', cursor.slice(0, -4), `${cursor}x.`.slice(2)],
    ...[{}, [], null, 5, 'x', { id: 'x', _kd: 'n' }, { id: 1 }, { id: 1, _kd: 'x' }, { _kd: 'n' }].map(encoded),
    ...[
      { id: 1.5, _kd: 'n' },
      { id: 1e300, _kd: 'n' },
      { id: null, _kd: 'n' },
      { id: [1], _kd: ['n'] },
    ].map(encoded),
  ]) {
    for (const [caller, path] of LOGS) {
      const { status, body } = await caller.get(path, { pagination: 'keyset', cursor: broken });
      assert.deepEqual([status, body], [400, { error: 'cursor is invalid' }], broken);
    }
  }
});

test('accepts cursors beyond either end and limits the page size', async () => {
  const encoded = (id: number) => Buffer.from(JSON.stringify({ id, _kd: 'n' })).toString('base64url');
  const walk = (params: object) => root.get('/audit_events', { pagination: 'keyset', ...params });
  const before = await walk({ cursor: encoded(0) });
  assert.deepEqual([before.status, before.body, before.headers.link], [200, [], undefined]);
  const all = idsOf(await walk({ per_page: 100 }));
  assert.deepEqual(idsOf(await walk({ cursor: encoded(Number.MAX_SAFE_INTEGER), per_page: 100 })), all);
  assert.deepEqual(idsOf(await walk({ per_page: 1_000 })), all);
  assert.equal(idsOf(await walk({ per_page: -1 })).length, Math.min(20, all.length));
  assert.deepEqual((await walk({ per_page: 0 })).body, { error: 'per_page has a value not allowed' });
  assert.deepEqual((await walk({ per_page: 'x' })).body, { error: 'per_page is invalid' });
});

test('repeats the filters in links and applies them to each page', async () => {
  const path = LOGS[1]?.[1] as string;
  const params = { pagination: 'keyset', per_page: 2, created_after: '2020-01-01', created_before: '2030-01-01' };
  const first = await mira.get(path, params);
  const link = String(first.headers.link);
  for (const part of ['created_after=2020-01-01', 'created_before=2030-01-01', 'per_page=2', 'pagination=keyset']) {
    assert.ok(link.includes(part), part);
  }
  assert.deepEqual((await mira.get(path, { ...params, created_after: '2029-01-01' })).body, []);
});

test('checks permissions on each page', async () => {
  const stranger = await user();
  for (const [, path] of LOGS) {
    assert.equal((await anonymous.get(path, { pagination: 'keyset' })).status, 401);
    assert.ok([403, 404].includes((await stranger.get(path, { pagination: 'keyset' })).status));
  }
});

test('returns each event once while events are added', async () => {
  const project = await newProject({ owner: root });
  for (let i = 0; i < 6; i++) await root.put(project.at, { description: `text ${i}` });
  const path = `${project.at}/audit_events`;
  const all = idsOf(await root.get(path));
  const seen: number[] = [];
  let url: string | null = `${path}?pagination=keyset&per_page=3&created_after=2020-01-01`;
  while (url !== null) {
    const answer = await root.get(url);
    assert.equal(answer.headers['x-page'], undefined);
    seen.push(...idsOf(answer));
    await root.put(project.at, { description: `more ${seen.length}` });
    const link = /^<(.+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
    assert.ok(link === undefined || link.includes('created_after=2020-01-01'));
    url = link === undefined ? null : link.slice(link.indexOf('/api/v4') + '/api/v4'.length);
  }
  assert.deepEqual(seen, all);
});

test('returns 405 for other orders with keyset pagination and 400 for an invalid cursor', async () => {
  const keyset = (params: Record<string, unknown>) => root.get('/audit_events', { pagination: 'keyset', ...params });
  assert.equal((await keyset({ order_by: 'id', sort: 'desc' })).status, 200);
  for (const params of [{ sort: 'asc' }, { order_by: 'created_at' }, { order_by: 'id', sort: 'asc' }]) {
    const answer = await keyset(params);
    const error = 'Keyset pagination is not yet available for this type of request';
    assert.deepEqual([answer.status, answer.body], [405, { error }]);
  }
  assert.deepEqual((await keyset({ cursor: 'x' })).body, { error: 'cursor is invalid' });
});
