import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

// Keyset pages as clients follow them (contract/conventions.md §6).

type Params = Readonly<Record<string, unknown>>;

const ids = ({ body }: TestResponse): number[] => body.map(({ id }: { id: number }) => id);
const names = ({ body }: TestResponse): string[] => body.map(({ name }: { name: string }) => name);
const OFFSET_HEADERS = ['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total', 'x-total-pages'];

/** The url of the only link, below /api/v4; null without one. */
function nextOf({ headers }: TestResponse): URL | null {
  if (headers.link === undefined) return null;
  const [, url] = /^<([^<>,\s]+)>; rel="next"$/.exec(String(headers.link)) ?? [];
  assert.ok(url, String(headers.link));
  return new URL(url);
}

function checkHeaders(answer: TestResponse): void {
  assert.equal(answer.status, 200, answer.text);
  for (const name of OFFSET_HEADERS) assert.equal(answer.headers[name], undefined, name);
}

/** Every page from the first to the last, by its links. */
async function walk(caller: Caller, path: string, params: Params, between = async (_page: TestResponse) => {}) {
  const pages: TestResponse[] = [];
  for (let answer = await caller.get(path, { pagination: 'keyset', ...params }); ; ) {
    checkHeaders(answer);
    pages.push(answer);
    const next = nextOf(answer);
    if (next === null) return pages;
    for (const [name, value] of Object.entries(params)) {
      if (name !== 'cursor') assert.deepEqual(next.searchParams.getAll(name), [String(value)], name);
    }
    await between(answer);
    answer = await caller.get(next.pathname.slice('/api/v4'.length) + next.search);
  }
}

const decoded = (cursor: unknown) => JSON.parse(Buffer.from(String(cursor), 'base64url').toString());

const NAMES = ['Same', 'same', 'Same', 'SAME', 'Zoë, "the" & 100%', '', '👍', 'Same', 'école', '~'];

/** Users whose names are equal, empty or odd; the word that finds them all. */
async function givenUsers(): Promise<{ word: string; all: number[] }> {
  const { root, user, name } = await world();
  const word = name('walker').replace('-', '');
  const all: number[] = [];
  for (const [index, wanted] of NAMES.entries()) {
    const { id } = await user({ username: `${word}-${index}` });
    if (wanted !== '') assert.equal((await root.put(`/users/${id}`, { name: wanted })).status, 200);
    all.push(id);
  }
  return { word, all };
}

test('keyset pages of users equal numbered pages, in every order and both directions', async () => {
  const { root } = await world();
  const { word, all } = await givenUsers();
  for (const order_by of ['id', 'name', 'username', 'created_at', 'updated_at']) {
    for (const sort of ['asc', 'desc']) {
      const params = { order_by, sort, per_page: 3, search: word };
      const pages = await walk(root, '/users', params);
      const whole = ids(await root.get('/users', { ...params, per_page: 100 }));
      assert.equal(whole.length, all.length);
      assert.deepEqual(pages.flatMap(ids), whole, `${order_by} ${sort}`);
      assert.deepEqual(
        pages.map(({ headers }) => [headers['x-prev-cursor'] !== undefined, headers['x-next-cursor'] !== undefined]),
        [
          [false, true],
          [true, true],
          [true, true],
          [true, false],
        ],
      );
      for (let index = pages.length - 1; index > 0; index--) {
        const cursor = pages[index]?.headers['x-prev-cursor'];
        const back = await root.get('/users', { pagination: 'keyset', ...params, cursor });
        checkHeaders(back);
        assert.deepEqual(back.body, pages[index - 1]?.body, `back to page ${index}`);
        assert.deepEqual(decoded(cursor)._kd, 'p');
      }
    }
  }
});

test('a cursor has the key of the last row and the direction, in both the header and the link', async () => {
  const { root } = await world();
  const { word } = await givenUsers();
  for (const [params, keys] of [
    [{}, ['id', '_kd']],
    [{ order_by: 'name' }, ['name', 'id', '_kd']],
    [{ order_by: 'created_at', sort: 'desc' }, ['created_at', 'id', '_kd']],
  ] as const) {
    const answer = await root.get('/users', { pagination: 'keyset', per_page: 2, search: word, ...params });
    const cursor = String(answer.headers['x-next-cursor']);
    assert.match(cursor, /^[\w-]+={0,2}$/);
    assert.equal(nextOf(answer)?.searchParams.get('cursor'), cursor);
    const key = decoded(cursor);
    assert.deepEqual(Object.keys(key).toSorted(), keys.toSorted());
    assert.deepEqual([key.id, key._kd], [answer.body[1].id, 'n']);
  }
});

test('keyset pages use the defaults of numbered pages for a missing sort or order_by', async () => {
  const { root, user } = await world();
  const { word, all } = await givenUsers();
  const search = { search: word, per_page: 4 };
  for (const caller of [root, await user()]) {
    for (const params of [{ order_by: 'id' }, { sort: 'desc' }, { order_by: 'name' }, { order_by: 'created_at' }]) {
      const whole = ids(await caller.get('/users', { ...search, per_page: 100, ...params }));
      const pages = await walk(caller, '/users', { ...search, ...params });
      assert.deepEqual(pages.flatMap(ids), whole, JSON.stringify(params));
    }
    // By number the exact matches of a search would come first.
    assert.deepEqual((await walk(caller, '/users', search)).flatMap(ids), all.toReversed());
  }
});

test('limits per_page as on numbered pages', async () => {
  const { root, anonymous } = await world();
  for (const [caller, path, params] of [
    [root, '/users', {}],
    [anonymous, '/groups', {}],
    [root, '/projects', { order_by: 'id' }],
    [root, '/audit_events', {}],
  ] as const) {
    const get = (more: Params) => caller.get(path, { pagination: 'keyset', ...params, ...more });
    assert.deepEqual((await get({ per_page: 0 })).body, { error: 'per_page has a value not allowed' });
    assert.deepEqual((await get({ per_page: 'x' })).body, { error: 'per_page is invalid' });
    for (const per_page of [101, -1, '']) assert.equal((await get({ per_page })).status, 200);
  }
  const many = await root.get('/audit_events', { pagination: 'keyset', per_page: 101 });
  assert.ok(many.body.length <= 100);
  assert.equal(
    nextOf(await root.get('/users', { pagination: 'keyset', per_page: 1 }))?.searchParams.get('per_page'),
    '1',
  );
  const few = await root.get('/audit_events', { pagination: 'keyset', per_page: -1 });
  assert.deepEqual([few.body.length, nextOf(few)?.searchParams.get('per_page')], [20, '20']);
});

test('an anonymous caller pages through groups by name while groups are created and deleted', async () => {
  const { user, anonymous, name } = await world();
  const [ada, word] = [await user(), name('walk').replace('-', '')];
  const make = async (label: string, visibility = 'public') => {
    const path = name(word);
    return (await newGroup({ owner: ada, name: `${word} ${label}`, path, visibility })).id;
  };
  const [m1, m2, a, m3, z] = [await make('m'), await make('m'), await make('a'), await make('m'), await make('z')];
  await make('m', 'private');
  const last = (page: TestResponse) => ids(page).at(-1);
  const pages = await walk(anonymous, '/groups', { per_page: 2, search: word }, async (page) => {
    await make('0 before all');
    if (last(page) === m1) assert.equal((await ada.put(`/groups/${m1}`, { visibility: 'private' })).status, 200);
  });
  assert.deepEqual(pages.flatMap(ids), [a, m1, m2, m3, z]);
  const cursor = pages[1]?.headers['x-prev-cursor'];
  const back = await anonymous.get('/groups', { pagination: 'keyset', per_page: 2, search: word, cursor });
  checkHeaders(back);
  assert.deepEqual(names(back), [`${word} 0 before all`, `${word} a`]);
  const signedIn = await ada.get('/groups', { pagination: 'keyset', per_page: 2, search: word, cursor: '!' });
  assert.deepEqual(
    [signedIn.status, signedIn.headers['x-page'], signedIn.headers['x-next-cursor']],
    [200, '1', undefined],
  );
  assert.match(String(signedIn.headers.link), /rel="first"/);
});

test('pages through projects in both directions while projects are created and deleted', async () => {
  const { user } = await world();
  for (const [sort, bound] of [
    ['desc', 'id_before'],
    ['asc', 'id_after'],
  ] as const) {
    const owner = await user();
    const make = async () => (await newProject({ owner })).id;
    const made: number[] = [];
    for (let index = 0; index < 5; index++) made.push(await make());
    const pages = await walk(owner, '/projects', { order_by: 'id', sort, per_page: 2, owned: true }, async (page) => {
      if (sort === 'desc') await make();
      const shown = ids(page);
      assert.equal(nextOf(page)?.searchParams.get(bound), String(shown.at(-1)));
      const remove = `/projects/${shown.at(-1)}`;
      assert.equal((await owner.delete(remove)).status, 202);
    });
    assert.deepEqual(pages.flatMap(ids), sort === 'asc' ? made : made.toReversed());
    assert.deepEqual([pages.at(-1)?.body, pages.at(-1)?.headers.link], [[], undefined]);
    assert.equal(pages.length, 4);
  }
});

/** Asserts that keyset pages of this list reject each of these orders. */
async function assertNotWalked(caller: Caller, path: string, orders: readonly Params[]): Promise<void> {
  const error = 'Keyset pagination is not yet available for this type of request';
  for (const params of orders) {
    const answer = await caller.get(path, { pagination: 'keyset', ...params });
    assert.deepEqual([answer.status, answer.body], [405, { error }], `${path} ${JSON.stringify(params)}`);
  }
  const head = await caller.head(path, { pagination: 'keyset', ...orders.at(-1) });
  assert.equal(head.status, 405, path);
}

test('returns 405 for an order without keyset pages, for projects and groups', async () => {
  const { anonymous, user } = await world();
  const owner = await user();
  const rows: [Caller, string, Params[]][] = [
    [owner, '/projects', [{}, { sort: 'asc' }, { order_by: 'name' }, { order_by: 'created_at', sort: 'desc' }]],
    [anonymous, '/projects', [{}, { order_by: 'updated_at' }, { order_by: 'path', sort: 'asc' }]],
    [
      anonymous,
      '/groups',
      [{ sort: 'desc' }, { order_by: 'name', sort: 'desc' }, { order_by: 'id' }, { order_by: 'path' }],
    ],
  ];
  for (const [caller, path, orders] of rows) await assertNotWalked(caller, path, orders);
});

test('returns 405 for an order without keyset pages, for all audit event lists', async () => {
  const { root, user } = await world();
  const owner = await user();
  const group = await newGroup({ owner, name: 'orders', path: 'orders' });
  const project = await newProject({ owner, name: 'orders' });
  for (const path of ['/audit_events', `${group.at}/audit_events`, `${project.at}/audit_events`]) {
    await assertNotWalked(root, path, [
      { sort: 'asc' },
      { order_by: 'id', sort: 'asc' },
      { order_by: 'created_at' },
      { order_by: 'created_at', sort: 'desc' },
    ]);
  }
});

const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('returns 400 for an invalid cursor', async () => {
  const { root, anonymous } = await world();
  const bad = [
    '!',
    'abc',
    '%',
    'null',
    made(null),
    made([1]),
    made({}),
    made({ id: 1 }),
    made({ _kd: 'n' }),
    made({ id: 'x', _kd: 'n' }),
  ];
  for (const [caller, path] of [
    [root, '/users'],
    [root, '/audit_events'],
    [anonymous, '/groups'],
  ] as const) {
    for (const cursor of bad) {
      const answer = await caller.get(path, { pagination: 'keyset', cursor });
      assert.deepEqual([answer.status, answer.body], [400, { error: 'cursor is invalid' }], `${path} ${cursor}`);
    }
    assert.equal((await caller.get(path, { pagination: 'keyset', cursor: '' })).status, 200);
  }
});

test('accepts a cursor whose row does not exist', async () => {
  const { root, anonymous } = await world();
  const beyond = await root.get('/users', { pagination: 'keyset', cursor: made({ id: 0, _kd: 'n' }) });
  assert.deepEqual([beyond.status, beyond.body, beyond.headers.link], [200, [], undefined]);
  const padded = Buffer.from(JSON.stringify({ id: 2, _kd: 'n' })).toString('base64');
  assert.deepEqual(ids(await root.get('/users', { pagination: 'keyset', cursor: padded })), [1]);
  for (const name of ["' or 1=1 --", '\u0000', 7, null, ['a']]) {
    const cursor = made({ name, id: 3, _kd: 'n' });
    const answer = await anonymous.get('/groups', { pagination: 'keyset', cursor });
    assert.ok([200, 400].includes(answer.status), answer.text);
  }
});
