import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpError } from '../errors/http-error.ts';
import { parseForm, type RawParameters } from '../parameters/brackets.ts';
import { readParameters } from '../parameters/declarations.ts';
import { Problems } from '../parameters/parameter-type.ts';
import type { IncomingRequest } from '../request/incoming.ts';
import {
  createPageHeaders,
  type KeysetRequest,
  type KeysetRule,
  keysetParameters,
  type ListPage,
  type OffsetRequest,
  pageParameters,
  readPageRequest,
  toKeysetPage,
} from './pagination.ts';

const request = { baseUrl: 'http://hearth.test', path: '/api/v4/projects/a%2Fb/things' } as IncomingRequest;
const BASE = `${request.baseUrl}${request.path}?`;

function headersOf(
  page: Partial<ListPage<unknown>>,
  { page: number = 1, perPage = 20 }: Partial<OffsetRequest>,
  query = '',
) {
  const whole = { items: [1], total: 1, hasMore: false, ...page };
  return createPageHeaders(whole, { kind: 'offset', page: number, perPage }, request, parseForm(query));
}

/** rel -> url of a Link header; the form of the header is checked too. */
function links(header: string | undefined): Record<string, string> {
  if (header === undefined) return {};
  return Object.fromEntries(
    header.split(', ').map((entry) => {
      const parts = /^<([^<>,\s]+)>; rel="(\w+)"$/.exec(entry);
      assert.ok(parts, entry);
      return [parts[2], parts[1]?.replace(BASE, '')];
    }),
  );
}

test('the first page of three has links to the next, first and last page', () => {
  const headers = headersOf({ total: 45, hasMore: true }, {});
  assert.deepEqual(headers, {
    Link: `<${BASE}page=2&per_page=20>; rel="next", <${BASE}page=1&per_page=20>; rel="first", <${BASE}page=3&per_page=20>; rel="last"`,
    'X-Page': '1',
    'X-Per-Page': '20',
    'X-Next-Page': '2',
    'X-Prev-Page': '',
    'X-Total': '45',
    'X-Total-Pages': '3',
  });
});

test('a page in the middle has links in the order prev, next, first, last', () => {
  const headers = headersOf({ total: 45, hasMore: true }, { page: 2 });
  assert.deepEqual(Object.entries(links(headers.Link)), [
    ['prev', 'page=1&per_page=20'],
    ['next', 'page=3&per_page=20'],
    ['first', 'page=1&per_page=20'],
    ['last', 'page=3&per_page=20'],
  ]);
  assert.equal(headers['X-Prev-Page'], '1');
  assert.equal(headers['X-Next-Page'], '3');
});

test('the last page has no next', () => {
  const headers = headersOf({ total: 45 }, { page: 3 });
  assert.deepEqual(Object.keys(links(headers.Link)), ['prev', 'first', 'last']);
  assert.equal(headers['X-Next-Page'], '');
});

test('links keep every parameter of the request, escaped', () => {
  const query = 'search=a%26b%25%20c%2Cd&states[]=x&states[]=y&f[g]=%C3%A9&private_token=t&page=7&per_page=5';
  const { next } = links(headersOf({ total: 45, hasMore: true }, { perPage: 5 }, query).Link);
  const kept = 'search=a%26b%25%20c%2Cd&states%5B%5D=x&states%5B%5D=y&f%5Bg%5D=%C3%A9&private_token=t';
  assert.equal(next, `${kept}&page=2&per_page=5`);
});

test('escapes commas everywhere', () => {
  const headers = createPageHeaders(
    { items: [], total: 0, hasMore: false },
    { kind: 'offset', page: 1, perPage: 20 },
    { ...request, path: '/api/v4/x,y' },
    {},
  );
  assert.match(headers.Link ?? '', /\/x%2Cy\?/);
});

test('an empty list has one page', () => {
  const headers = headersOf({ items: [], total: 0 }, {});
  assert.deepEqual(Object.keys(links(headers.Link)), ['first', 'last']);
  assert.equal(headers['X-Total'], '0');
  assert.equal(headers['X-Total-Pages'], '1');
});

test('a page past the end has no previous and no next page', () => {
  const headers = headersOf({ items: [], total: 45 }, { page: 9 });
  assert.deepEqual(links(headers.Link), { first: 'page=1&per_page=20', last: 'page=3&per_page=20' });
  assert.equal(headers['X-Page'], '9');
  assert.equal(headers['X-Next-Page'], '');
  assert.equal(headers['X-Prev-Page'], '');
  assert.equal(headers['X-Total'], '45');
});

test('counts up to 10,000 rows', () => {
  const counted = headersOf({ total: 10_000, hasMore: true }, { perPage: 100 });
  assert.equal(counted['X-Total'], '10000');
  assert.equal(counted['X-Total-Pages'], '100');
  const uncounted = headersOf({ total: null, hasMore: true }, { page: 2 });
  assert.deepEqual(Object.keys(links(uncounted.Link)), ['prev', 'next', 'first']);
  assert.equal('X-Total' in uncounted, false);
  assert.equal('X-Total-Pages' in uncounted, false);
  assert.equal(uncounted['X-Next-Page'], '3');
});

function readPaging(given: RawParameters): unknown {
  const problems = new Problems();
  const { page, per_page } = readParameters(pageParameters, given, problems);
  return problems.any ? problems.texts : [page, per_page];
}

test('page and per_page have limits, defaults and invalid values', () => {
  const rows: [RawParameters, unknown][] = [
    [{}, [1, 20]],
    [{ page: '3', per_page: '50' }, [3, 50]],
    [{ per_page: '101' }, [1, 100]],
    [{ per_page: '-1' }, [1, 20]],
    [{ per_page: '' }, [1, 20]],
    [{ per_page: null, page: null }, [1, 20]],
    [{ page: '0' }, [1, 20]],
    [{ page: '-5' }, [1, 20]],
    [{ per_page: '0' }, ['per_page has a value not allowed']],
    [{ per_page: 'abc' }, ['per_page is invalid']],
    [{ page: 'abc' }, ['page is invalid']],
    [{ page: '1.5', per_page: '0' }, ['page is invalid', 'per_page has a value not allowed']],
  ];
  for (const [given, expected] of rows) assert.deepEqual(readPaging(given), expected, JSON.stringify(given));
});

const byCursor: KeysetRule = { orders: ['id desc', 'id asc', 'name asc'], cursorKind: 'opaque' };
const byId: KeysetRule = { orders: ['id desc', 'id asc'], cursorKind: 'id', defaultOrderBy: 'created_at' };

function ask(rule: KeysetRule, given: RawParameters, signedIn = true) {
  const params = readParameters({ ...keysetParameters, ...pageParameters }, given, new Problems());
  return readPageRequest(params, rule, signedIn);
}

function keyset(rule: KeysetRule, given: RawParameters = {}): KeysetRequest {
  const asked = ask(rule, { pagination: 'keyset', ...given });
  assert.ok(asked.kind === 'keyset');
  return asked;
}

const refusal = (status: number, error: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof HttpError);
  assert.deepEqual([thrown.status, thrown.body], [status, { error }]);
  return true;
};
const unavailable = refusal(405, 'Keyset pagination is not yet available for this type of request');

test('uses keyset pages only on request and in supported orders', () => {
  assert.equal(ask(byCursor, {}).kind, 'offset');
  assert.equal(ask(byCursor, { pagination: 'legacy' }).kind, 'offset');
  assert.equal(ask({ ...byCursor, always: true }, {}).kind, 'keyset');
  assert.equal(ask({ ...byCursor, anonymousOnly: true }, { pagination: 'keyset' }).kind, 'offset');
  assert.equal(ask({ ...byCursor, anonymousOnly: true }, { pagination: 'keyset' }, false).kind, 'keyset');
  assert.deepEqual(keyset(byCursor), {
    kind: 'keyset',
    perPage: 20,
    orderBy: 'id',
    sort: 'desc',
    backward: false,
    after: null,
  });
  assert.equal(keyset(byCursor, { order_by: 'name' }).sort, 'asc');
  assert.throws(() => keyset(byCursor, { order_by: 'name', sort: 'desc' }), unavailable);
  assert.throws(() => keyset(byCursor, { order_by: 'email' }), unavailable);
  assert.throws(() => keyset(byCursor, { sort: 'sideways' }), unavailable);
});

test('a list whose default order has no keyset pages requires order_by', () => {
  assert.throws(() => keyset(byId), unavailable);
  assert.equal(keyset(byId, { order_by: 'id' }).sort, 'desc');
  assert.deepEqual(keyset(byId, { order_by: 'id', id_before: '42' }).after, { value: 42, id: 42 });
  assert.deepEqual(keyset(byId, { order_by: 'id', sort: 'asc', id_after: '42' }).after, { value: 42, id: 42 });
  assert.equal(keyset(byId, { order_by: 'id', id_after: '42' }).after, null);
});

test('id pages link to a next page while they have rows', () => {
  const asked = keyset(byId, { order_by: 'id', per_page: '2' });
  const full = toKeysetPage(asked, [{ id: 9 }, { id: 7 }, { id: 5 }], byId);
  assert.deepEqual(full.items, [{ id: 9 }, { id: 7 }]);
  const given = parseForm('pagination=keyset&order_by=id&per_page=2&id_before=11&search=x');
  const headers = createPageHeaders(full, asked, request, given);
  assert.deepEqual(headers, {
    Link: `<${BASE}pagination=keyset&order_by=id&per_page=2&search=x&id_before=7>; rel="next"`,
  });
  const last = toKeysetPage(asked, [{ id: 5 }], byId);
  assert.match(createPageHeaders(last, asked, request, given).Link ?? '', /id_before=5/);
  assert.deepEqual(createPageHeaders(toKeysetPage(asked, [], byId), asked, request, given), {});
});

interface Row {
  readonly id: number;
  readonly name: string;
}

const rows: Row[] = [4, 2, 9, 1, 7, 3].map((id) => ({ id, name: `n${id % 3}` }));

/** Emulates a store: returns the rows after the key, in its direction, and one more than requested. */
function store({ sort, after, perPage }: KeysetRequest): Row[] {
  const sign = sort === 'asc' ? 1 : -1;
  const compare = (a: Pick<Row, 'id' | 'name'>, b: Pick<Row, 'id' | 'name'>) =>
    sign * (a.name.localeCompare(b.name) || a.id - b.id);
  const behind = rows.filter((row) => after === null || compare(row, { id: after.id, name: String(after.value) }) > 0);
  return behind.sort(compare).slice(0, perPage + 1);
}

/** A page of rows by name, some of which are equal. */
function byName(cursor?: string) {
  const rule: KeysetRule = { orders: ['name asc'], cursorKind: 'opaque' };
  const asked = keyset(rule, { per_page: '2', ...(cursor ? { cursor } : {}) });
  const page = toKeysetPage(asked, store(asked), rule, (row) => row.name);
  const headers = createPageHeaders(page, asked, request, {});
  return {
    ids: page.items.map(({ id }) => id),
    next: headers['X-Next-Cursor'],
    previous: headers['X-Prev-Cursor'],
    link: headers.Link,
  };
}

test('cursors lead forward through equal values to the end', () => {
  const first = byName();
  const second = byName(first.next);
  const third = byName(second.next);
  assert.deepEqual(
    [first.ids, second.ids, third.ids],
    [
      [3, 9],
      [1, 4],
      [7, 2],
    ],
  );
  assert.match(first.link ?? '', /^<[^>]+cursor=[\w-]+&per_page=2>; rel="next"$/);
  assert.equal(third.next, undefined);
  assert.equal(third.link, undefined);
});

test('cursors lead back to the start, and forward again', () => {
  const first = byName();
  assert.equal(first.previous, undefined);
  const second = byName(first.next);
  const third = byName(second.next);
  const back = byName(third.previous);
  assert.deepEqual(back.ids, second.ids);
  const start = byName(back.previous);
  assert.deepEqual(start.ids, first.ids);
  assert.equal(start.previous, undefined);
  assert.deepEqual(byName(start.next).ids, second.ids);
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a cursor is an encoded object with a direction', () => {
  const asked = keyset(byCursor, { per_page: '1' });
  const page = toKeysetPage(asked, [{ id: 3 }, { id: 2 }], byCursor);
  const cursor = page.keyset?.next?.cursor ?? '';
  assert.deepEqual(JSON.parse(Buffer.from(cursor, 'base64url').toString()), { id: 3, _kd: 'n' });
  assert.deepEqual(keyset(byCursor, { cursor }).after, { value: 3, id: 3 });
});

test('rejects an invalid cursor', () => {
  const bad = [
    'x',
    '%%%',
    encode(null),
    encode([]),
    encode('a'),
    encode({ id: 3 }),
    encode({ id: 'x', _kd: 'n' }),
    encode({ id: 3.5, _kd: 'n' }),
    encode({ id: 3, _kd: 'q' }),
    encode({ _kd: 'n' }),
  ];
  for (const cursor of bad)
    assert.throws(() => keyset(byCursor, { cursor }), refusal(400, 'cursor is invalid'), cursor);
  const noName = encode({ id: 3, _kd: 'n' });
  const withNul = encode({ id: 3, name: 'a\u0000', _kd: 'n' });
  for (const cursor of [noName, withNul]) {
    assert.throws(() => keyset(byCursor, { cursor, order_by: 'name' }), refusal(400, 'cursor is invalid'), cursor);
  }
});
