import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { getSession } from '#database/sessions.ts';
import type { Caller, TestResponse } from '#test/support/world.ts';
import { world } from '#test/support/world.ts';
import { listUsers } from './store.ts';

const names = ({ body }: TestResponse) => body.map(({ username }: { username: string }) => username);

async function people(prefix: string, count: number) {
  const { user } = await world();
  const made: Caller[] = [];
  for (let index = 0; index < count; index++) made.push(await user({ username: `${prefix}-${index}` }));
  return made;
}

test('finds a user by username in any case, for all callers', async () => {
  const { anonymous, user } = await world();
  const { username } = await user();
  assert.deepEqual(names(await anonymous.get('/users', { username: username.toUpperCase() })), [username]);
  for (const params of [{}, { username: '' }, { search: username }]) {
    const { status, body } = await anonymous.get('/users', params);
    assert.equal(status, 403);
    assert.deepEqual(body, { message: '403 Forbidden - Not authorized to access /api/v4/users' });
  }
});

test('rejects filters by name and address of more than 255 characters', async () => {
  const { root } = await world();
  for (const name of ['username', 'public_email', 'extern_uid', 'provider']) {
    const find = (value: string) => root.get('/users', { provider: 'a', extern_uid: 'a', [name]: value });
    assert.equal((await find('x'.repeat(255))).status, 200, name);
    const { status, body } = await find('x'.repeat(256));
    assert.deepEqual([status, body], [400, { message: { [name]: ['is too long (maximum is 255 characters)'] } }]);
  }
});

test('searches parts of at least three characters, exact matches first', async () => {
  const { root } = await world();
  await people('searched', 3);
  await people('searched-1', 1);
  const found = names(await root.get('/users', { search: 'SEARCHED-1' }));
  assert.deepEqual(found, ['searched-1', 'searched-1-0']);
  assert.deepEqual(names(await root.get('/users', { search: 'se' })), []);
  assert.deepEqual(names(await root.get('/users', { search: 'searched-2@hearth.test' })), ['searched-2']);
  const [someone] = await people('someone', 1);
  assert.deepEqual(names(await someone!.get('/users', { search: 'searched-2@hearth.test' })), []);
  assert.deepEqual(names(await someone!.get('/users', { search: '100%_' })), []);
});

test('counts further matches in the statement that reads them', async () => {
  const { server } = await world();
  await people('counted', 6);
  await people('counted-1', 4);
  const filter = { search: 'counted-1', forAdministrator: true } as Parameters<typeof listUsers>[1];
  const list = (db: Reader, page: number) => listUsers(db, filter, { kind: 'offset', page, perPage: 2 });
  await server.services.database.transaction(async (tx) => {
    const { connection } = getSession(tx);
    const { execute } = connection;
    let statements = 0;
    connection.execute = (statement) => {
      statements += 1;
      return execute.call(connection, statement);
    };
    const first = await list(tx, 1);
    const ofFirst = statements;
    const last = await list(tx, 3);
    connection.execute = execute;
    assert.deepEqual([first.total, last.total], [5, 5]);
    // The last page tells the total by itself.
    assert.equal(ofFirst, statements - ofFirst);
  });
});

test('counts matches of a common part up to 10,000, without those that a filter excludes', async () => {
  const { root, user, server } = await world();
  const caller = await user();
  const at = '2026-01-01T00:00:00.000Z';
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10004)`;
  await server.services.database.transaction((tx) =>
    sql`insert into users (username, username_key, name, name_key, email, email_key, projects_limit, bio, created_at, updated_at,
        state, external)
      ${numbers} select 'throng-' || i, 'throng-' || i, '', 'throng ' || i, 't' || i, 't' || i, 0, '', ${at}, ${at},
        case when i <= 2 then 'blocked' when i = 3 then 'deactivated' else 'active' end, i = 4 from n`.execute(tx),
  );
  const total = async (who: Caller, params: object) =>
    (await who.get('/users', { search: 'throng', per_page: 1, ...params })).headers['x-total'];
  assert.equal(await total(root, {}), undefined);
  assert.equal(await total(root, { active: true }), undefined);
  assert.equal(await total(root, { active: true, exclude_external: true }), '10000');
  assert.equal(await total(caller, {}), undefined);
  assert.equal(await total(caller, { active: true, exclude_external: true }), '10000');
  assert.equal(await total(caller, { exclude_active: true }), '1');
  assert.equal(await total(root, { external: true }), '1');
});

test('filters by state, and lists blocked users for administrators only', async () => {
  const { root } = await world();
  const [one, two, three] = (await people('filtered', 3)) as [Caller, Caller, Caller];
  await root.post(`/users/${one.id}/block`);
  await root.put(`/users/${two.id}`, { external: true, auditor: true, provider: 'ldap', extern_uid: 'cn=two' });
  const asked = async (caller: Caller, params: object) =>
    names(await caller.get('/users', { search: 'filtered', ...params }));
  assert.deepEqual(await asked(root, { blocked: true }), [one.username]);
  assert.deepEqual(await asked(root, { active: true }), [three.username, two.username]);
  assert.deepEqual(await asked(root, { exclude_active: true }), [one.username]);
  assert.deepEqual(await asked(root, { external: true }), [two.username]);
  assert.deepEqual(await asked(root, { auditors: true }), [two.username]);
  assert.deepEqual(await asked(three, { auditors: true }), [three.username, two.username], 'ignored');
  assert.deepEqual(await asked(root, { provider: 'ldap', extern_uid: 'cn=two' }), [two.username]);
  assert.equal((await three.get('/users', { provider: 'ldap', extern_uid: 'cn=two' })).status, 403);
  assert.equal(
    (await root.get('/users', { provider: 'ldap' })).body.error,
    'extern_uid, provider provide all or none of parameters',
  );
  assert.deepEqual(await asked(root, { two_factor: 'enabled' }), []);
  assert.equal((await asked(root, { without_projects: true })).length, 3);
  assert.deepEqual(await asked(root, { created_after: '2030-01-01' }), []);
  assert.equal((await root.get('/users', { created_after: 'soon' })).body.error, 'created_after is invalid');
});

test('repeats the filters in the links of pages', async () => {
  const { root } = await world();
  await people('paged', 5);
  const { headers } = await root.get('/users', { search: 'paged', per_page: 2, page: 2, note: 'a&b%c d,e' });
  assert.equal(headers['x-total'], '5');
  assert.equal(headers['x-total-pages'], '3');
  assert.equal(headers['x-next-page'], '3');
  assert.equal(headers['x-prev-page'], '1');
  const relations = [...String(headers.link).matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  assert.deepEqual(
    relations.map(([, , relation]) => relation),
    ['prev', 'next', 'first', 'last'],
  );
  const next = new URL(relations[1]?.[1] ?? '');
  assert.equal(next.searchParams.get('note'), 'a&b%c d,e');
  assert.equal(next.searchParams.get('page'), '3');
  assert.equal(next.href.includes(','), false);
  const beyond = await root.get('/users', { search: 'paged', per_page: 2, page: 9 });
  assert.deepEqual(beyond.body, []);
  assert.equal(beyond.headers['x-total'], '5');
  const head = await root.head('/users', { search: 'paged', per_page: 2 });
  assert.equal(head.headers['x-total'], '5');
});

test('orders users filtered by creation time by id', async () => {
  const { root, server } = await world();
  const made = await people('moment', 4);
  const years = [2004, 2001, 2003, 2002];
  await server.services.database.transaction(async (tx) => {
    for (const [index, { id }] of made.entries()) {
      const created_at = `${years[index]}-05-01T00:00:00.000Z`;
      await tx.updateTable('users').set({ created_at }).where('id', '=', id).execute();
    }
  });
  const list = async (params: Record<string, unknown>) =>
    names(await root.get('/users', { search: 'moment-', ...params }));
  assert.deepEqual(await list({ created_before: '2003-06-01' }), ['moment-3', 'moment-2', 'moment-1']);
  assert.deepEqual(await list({ created_before: '2001-06-01', order_by: 'id' }), ['moment-1']);
  assert.deepEqual(await list({ created_before: '2000-01-01' }), []);
  const upwards = { sort: 'asc', order_by: 'id', created_before: '2010-01-01' };
  assert.deepEqual(await list({ ...upwards, created_after: '2002-06-01' }), ['moment-0', 'moment-2']);
  assert.deepEqual(await list({ ...upwards, created_after: '2004-06-01' }), []);
  const keyset = { pagination: 'keyset', order_by: 'id', sort: 'desc', created_before: '2002-06-01' };
  assert.deepEqual(await list(keyset), ['moment-3', 'moment-1']);
});

test('rejects a page beyond the offset limit', async () => {
  const { root } = await world();
  assert.equal((await root.get('/users', { page: 500, per_page: 100 })).status, 200);
  const { status, body } = await root.get('/users', { page: 50_001, per_page: 1 });
  assert.equal(status, 405);
  assert.deepEqual(body, {
    error:
      'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type User. Remaining records can be retrieved using keyset pagination.',
  });
});

test('returns each user once in keyset pages of every order while users are created', async () => {
  const { root, user } = await world();
  const made = await people('walked', 5);
  for (const { id } of made.slice(1, 4)) await root.put(`/users/${id}`, { name: 'Same Name' });
  for (const order_by of ['id', 'name', 'username', 'created_at', 'updated_at']) {
    for (const sort of ['asc', 'desc']) {
      const seen: string[] = [];
      let path: string | undefined =
        `/users?pagination=keyset&order_by=${order_by}&sort=${sort}&per_page=2&search=walked-`;
      while (path !== undefined) {
        const answer: TestResponse = await root.get(path);
        assert.equal(answer.headers['x-total'], undefined);
        seen.push(...names(answer));
        if (seen.length === 2) await user({ username: `late-${order_by.replace('_', '')}-${sort}` });
        const url = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
        path = url?.slice(url.indexOf('/users'));
      }
      assert.deepEqual([...new Set(seen)].sort(), made.map(({ username }) => username).sort(), `${order_by} ${sort}`);
      assert.equal(seen.length, 5);
    }
  }
});

test('rejects unknown orders and invalid cursors of keyset pagination', async () => {
  const { root } = await world();
  const unknown = await root.get('/users', { pagination: 'keyset', order_by: 'email', sort: 'asc' });
  assert.deepEqual([unknown.status, unknown.body], [400, { error: 'order_by does not have a valid value' }]);
  assert.equal((await root.get('/users', { order_by: 'email' })).body.error, 'order_by does not have a valid value');
  const broken = await root.get('/users', { pagination: 'keyset', cursor: 'nonsense' });
  assert.equal(broken.status, 400);
  assert.deepEqual(broken.body, { error: 'cursor is invalid' });
});

test('returns 304 for an unchanged list, but 401 for a revoked token', async () => {
  const { root, user, tokenOf } = await world();
  const mira = await user();
  const caller = await tokenOf(mira, ['api']);
  const { headers } = await caller.get(`/users/${mira.id}`);
  const known = { 'If-None-Match': String(headers.etag) };
  assert.equal((await caller.get(`/users/${mira.id}`, {}, known)).status, 304);
  await root.post(`/users/${mira.id}/block`);
  assert.equal((await caller.get(`/users/${mira.id}`, {}, known)).status, 403);
});
