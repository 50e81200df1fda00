import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestResponse } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';
import {
  createParentToken,
  createTokenParent,
  PARENT_TYPES,
  TOKEN_INPUT,
  type TokenParent,
} from './fixtures.testing.ts';

// The test clock is at 2026-01-02. Each test runs for a project and for a group.

function assertRejected(answer: TestResponse, status: number, message: string): void {
  assert.deepEqual([answer.status, answer.body], [status, { message }]);
}

async function listTokens({ owner, at }: TokenParent): Promise<{ id: number }[]> {
  return (await owner.get(`${at}/access_tokens`)).body;
}

for (const kind of PARENT_TYPES) {
  test(`${kind}: creates a token with the Maintainer role by default`, async () => {
    const parent = await createTokenParent(kind);
    const { body } = await createParentToken(parent, { scopes: ['api', 'read_repository'], description: 'for builds' });
    const { id, user_id, token, ...rest } = body;
    assert.match(token, /^glpat-[\w-]{20,}$/);
    assert.deepEqual(rest, {
      name: 'ci',
      revoked: false,
      created_at: '2026-01-02T03:04:05.000Z',
      description: 'for builds',
      scopes: ['api', 'read_repository'],
      last_used_at: null,
      active: true,
      expires_at: '2026-12-01',
      access_level: 40,
      resource_type: kind,
      resource_id: parent.id,
    });
    const result = { id, user_id, ...rest };
    assert.deepEqual(await listTokens(parent), [result], 'the secret is returned only once');
    assert.deepEqual((await parent.owner.get(`${parent.at}/access_tokens/${id}`)).body, result);
  });

  test(`${kind}: acts as the bot, with its role and the token's scopes`, async () => {
    const parent = await createTokenParent(kind);
    const write = { description: 'changed by a bot' };
    const guest = await createParentToken(parent, { access_level: 10 });
    assert.equal((await guest.bot.get('/user')).body.id, guest.body.user_id);
    assert.equal((await guest.bot.get(parent.at)).status, 200);
    assert.equal((await guest.bot.put(parent.at, write)).status, 403);
    const reader = await createParentToken(parent, { access_level: 50, scopes: ['read_api'] });
    assert.equal((await reader.bot.put(parent.at, write)).status, 403);
    const owner = await createParentToken(parent, { access_level: 50 });
    assert.equal((await owner.bot.put(parent.at, write)).body.description, 'changed by a bot');
    const used = (await parent.owner.get(`${parent.at}/access_tokens/${guest.id}`)).body;
    assert.equal(used.last_used_at, '2026-01-02T03:04:05.000Z');
  });

  test(`${kind}: rejects invalid parameters`, async () => {
    const parent = await createTokenParent(kind);
    const post = (params: Record<string, unknown>) => parent.owner.post(`${parent.at}/access_tokens`, params);
    const errors: [Record<string, unknown>, string][] = [
      [{}, 'name is missing, scopes is missing'],
      [{ ...TOKEN_INPUT, scopes: 'api' }, 'scopes is invalid'],
      [{ ...TOKEN_INPUT, scopes: ['root'] }, 'scopes does not have a valid value'],
      [{ ...TOKEN_INPUT, access_level: 25 }, 'access_level does not have a valid value'],
      [{ ...TOKEN_INPUT, access_level: 60 }, 'access_level does not have a valid value'],
      [{ ...TOKEN_INPUT, expires_at: 'soon' }, 'expires_at is invalid'],
    ];
    for (const scope of ['read_user', 'sudo', 'admin_mode', 'read_service_ping']) {
      errors.push([{ ...TOKEN_INPUT, scopes: [scope] }, 'scopes does not have a valid value']);
    }
    for (const [params, error] of errors) {
      const answer = await post(params);
      assert.deepEqual([answer.status, answer.body], [400, { error }], JSON.stringify(params));
    }
    assertRejected(await post({ name: 'ci', scopes: ['api'] }), 400, '400 Bad request - expires_at is missing');
    const refusesOrder = async (wrong: Record<string, unknown>, text: string) =>
      assertRejected(await post({ ...TOKEN_INPUT, ...wrong }), 400, `400 Bad request - ${text}`);
    await refusesOrder({ expires_at: '2027-01-03' }, 'Expiration date must be before 2027-01-02');
    await refusesOrder({ scopes: [] }, "Scopes can't be blank");
    await refusesOrder({ name: ' ', scopes: [] }, "Name can't be blank and Scopes can't be blank");
    await refusesOrder({ name: 'x'.repeat(256) }, 'Name is too long (maximum is 255 characters)');
    assert.deepEqual(await listTokens(parent), []);
  });

  test(`${kind}: uses the latest date for a null date, or none if expiry is optional`, async () => {
    const { root } = await world();
    const parent = await createTokenParent(kind);
    const createToken = async () =>
      (await parent.owner.post(`${parent.at}/access_tokens`, { ...TOKEN_INPUT, expires_at: null })).body;
    assert.equal((await createToken()).expires_at, '2027-01-02');
    await root.put('/application/settings', { require_personal_access_token_expiry: false });
    const { expires_at } = await createToken();
    await root.put('/application/settings', { require_personal_access_token_expiry: true });
    assert.equal(expires_at, null);
  });

  test(`${kind}: reports only the first error: parameters, role, level, date, others`, async () => {
    const parent = await createTokenParent(kind, { visibility: 'public' });
    const low = await parent.addMember('guest');
    const path = `${parent.at}/access_tokens`;
    const undated = { name: ' ', scopes: [], access_level: 50 };
    assert.deepEqual((await low.post(path, { scopes: 'x' })).body, { error: 'name is missing, scopes is invalid' });
    assert.match((await low.post(path, undated)).body.message, /does not have permission/);
    const maintainer = await parent.addMember('maintainer');
    const expectExpiryEvent = (await maintainer.post(path, undated)).body.message;
    assert.match(expectExpiryEvent, kind === 'project' ? /not held by the creating user/ : /does not have permission/);
    assert.match((await parent.owner.post(path, undated)).body.message, /expires_at is missing/);
    const late = { ...undated, expires_at: '2030-01-01' };
    assert.match(
      (await parent.owner.post(path, late)).body.message,
      /Name can't be blank, Scopes can't be blank, and Expiration date must be before/,
    );
    assert.deepEqual((await low.get(path, { state: 'odd' })).body, { error: 'state does not have a valid value' });
    assert.equal((await low.delete(`${path}/4711`)).status, 404);
    assert.deepEqual(await listTokens(parent), []);
  });

  test(`${kind}: accepts forms like JSON, and the path of the parent`, async () => {
    const parent = await createTokenParent(kind);
    const created = (await parent.owner.get(parent.at)).body;
    const full = encodeURIComponent(created.path_with_namespace ?? created.full_path);
    const raw =
      'name=form&scopes[]=api&scopes[]=read_api&scopes[]=api&expires_at=2026-12-01&access_level=20&description=';
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await parent.owner.send('POST', `/${kind}s/${full}/access_tokens`, { raw, headers });
    assert.equal(status, 201);
    assert.deepEqual([body.scopes, body.access_level, body.description], [['api', 'read_api'], 20, null]);
    assert.equal((await parent.owner.get(`/${kind}s/${full}/access_tokens/${body.id}`)).body.id, body.id);
  });

  test(`${kind}: accepts every scope and role for bots`, async () => {
    const parent = await createTokenParent(kind);
    const scopes = [
      ...['api', 'read_api', 'create_runner', 'manage_runner', 'k8s_proxy', 'self_rotate', 'read_repository'],
      ...['write_repository', 'read_registry', 'write_registry', 'read_virtual_registry', 'write_virtual_registry'],
      ...['read_observability', 'write_observability', 'ai_features'],
    ];
    assert.deepEqual((await createParentToken(parent, { scopes })).body.scopes, scopes);
    for (const access_level of [10, 15, 20, 30, 40, 50]) {
      assert.equal((await createParentToken(parent, { access_level })).body.access_level, access_level);
    }
    assert.equal((await createParentToken(parent, { access_level: null })).body.access_level, 40);
  });

  test(`${kind}: accepts a past date, which disables the token, and the latest possible date`, async () => {
    const parent = await createTokenParent(kind);
    const past = await createParentToken(parent, { expires_at: '2026-01-02' });
    assert.equal(past.body.active, false);
    assert.equal((await past.bot.get('/user')).status, 401);
    const last = await createParentToken(parent, { expires_at: '2027-01-02' });
    assert.equal((await last.bot.get('/user')).status, 200);
  });

  test(`${kind}: returns 400 on create and delete to callers with too low a role, and 401 on other endpoints`, async () => {
    const parent = await createTokenParent(kind, { visibility: 'public' });
    const { user, server } = await world();
    const { id, bot } = await createParentToken(parent, { name: 'The bot' });
    const lower = kind === 'project' ? 'developer' : 'maintainer';
    for (const caller of [await user(), await parent.addMember('guest'), await parent.addMember(lower)]) {
      const path = `${parent.at}/access_tokens`;
      assertRejected(
        await caller.post(path, TOKEN_INPUT),
        400,
        `400 Bad request - User does not have permission to create ${kind} access token`,
      );
      const named = `400 Bad request - Name of ${caller.username} cannot delete The bot`;
      assertRejected(await caller.delete(`${path}/${id}`), 400, named);
      assertRejected(await caller.get(path), 401, '401 Unauthorized');
      assertRejected(await caller.get(`${path}/${id}`), 401, '401 Unauthorized');
      assertRejected(await caller.get(`${path}/4711`), 401, '401 Unauthorized');
      assertRejected(await caller.post(`${path}/${id}/rotate`), 401, '401 Unauthorized');
      assertRejected(await caller.post(`${path}/4711/rotate`), 401, '401 Unauthorized');
    }
    assert.equal((await listTokens(parent)).length, 1);
    assert.equal((await bot.get('/user')).status, 200);
    const { reader } = server.services.database;
    const bots = reader.selectFrom('users').select('id').where('username', 'like', `${kind}_${parent.id}_bot_%`);
    assert.equal((await bots.execute()).length, 1, 'creates no bot');
  });

  test(`${kind}: hides private parents and looks nothing up without credentials`, async () => {
    const { anonymous, user } = await world();
    const parent = await createTokenParent(kind, { visibility: 'private' });
    const { id, bot } = await createParentToken(parent);
    const other = await createParentToken(await createTokenParent(kind));
    const calls = [
      ['GET', ''],
      ['POST', ''],
      ['GET', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate`],
      ['POST', '/self/rotate'],
    ] as const;
    const missing = kind === 'project' ? '404 Project Not Found' : '404 Group Not Found';
    for (const [method, rest] of calls) {
      const path = `${parent.at}/access_tokens${rest}`;
      const params = method === 'POST' ? TOKEN_INPUT : {};
      assertRejected(await anonymous.send(method, path), 401, '401 Unauthorized');
      for (const stranger of [await user(), other.bot]) {
        assertRejected(await stranger.send(method, path, { params }), 404, missing);
      }
    }
    assert.equal((await bot.get('/user')).status, 200);
  });

  test(`${kind}: accepts the lowest role that manages tokens, also for a bot`, async () => {
    const { root } = await world();
    const parent = await createTokenParent(kind);
    const path = `${parent.at}/access_tokens`;
    const created = await parent.manager.post(path, { ...TOKEN_INPUT, access_level: 30 });
    assert.equal(created.status, 201);
    const { bot } = await createParentToken(parent, { access_level: 50 });
    for (const caller of [parent.manager, bot, root]) {
      assert.equal((await caller.get(path)).body.length, 2);
      assert.equal((await caller.get(`${path}/${created.body.id}`)).body.user_id, created.body.user_id);
    }
    assertRejected(
      await bot.post(path, { ...TOKEN_INPUT, access_level: 10 }),
      400,
      `400 Bad request - User does not have permission to create ${kind} access token`,
    );
    assert.equal((await root.post(path, { ...TOKEN_INPUT, access_level: 50 })).status, 201);
    assert.equal((await bot.delete(`${path}/${created.body.id}`)).status, 204);
  });

  test(`${kind}: records tokens in the audit log without secrets`, async () => {
    const parent = await createTokenParent(kind);
    const { id, body } = await createParentToken(parent, {
      name: 'The bot',
      scopes: ['api', 'read_repository'],
      access_level: 30,
    });
    const next = (await parent.owner.post(`${parent.at}/access_tokens/${id}/rotate`)).body;
    for (let twice = 0; twice < 2; twice++) await parent.manager.delete(`${parent.at}/access_tokens/${next.id}`);
    const { body: events, text } = await parent.owner.get(`${parent.at}/audit_events`);
    const about = events.filter((event: { event_name: string }) => event.event_name.startsWith(`${kind}_access_token`));
    const created = (token: number) =>
      `Created ${kind} access token with token_id: ${token} with scopes: ["api", "read_repository"] and Developer access level.`;
    const revoked = (token: number) => `Revoked ${kind} access token with token_id: ${token}`;
    const rows = about.map(({ author_id, event_name, details }: (typeof events)[number]) => [
      ...[author_id, event_name, details.target_id, details.custom_message],
    ]);
    assert.deepEqual(rows, [
      [parent.manager.id, `${kind}_access_token_deleted`, next.id, revoked(next.id)],
      [parent.owner.id, `${kind}_access_token_created`, next.id, created(next.id)],
      [parent.owner.id, `${kind}_access_token_deleted`, id, revoked(id)],
      [parent.owner.id, `${kind}_access_token_created`, id, created(id)],
    ]);
    for (const { details } of about) {
      assert.deepEqual([details.target_type, details.target_details], ['PersonalAccessToken', 'The bot']);
    }
    assert.ok(!text.includes(body.token) && !text.includes(next.token));
  });
}

test('group: creates no tokens in an archived group or below it, and keeps existing ones', async () => {
  const parent = await createTokenParent('group');
  const { id } = await createParentToken(parent, {});
  await parent.owner.post(`${parent.at}/archive`);
  const refused = await parent.owner.post(`${parent.at}/access_tokens`, { ...TOKEN_INPUT });
  assertRejected(refused, 400, '400 Bad request - User does not have permission to create group access token');
  assert.equal((await parent.owner.delete(`${parent.at}/access_tokens/${id}`)).status, 204);
});

test('project: does not let a Maintainer create a token with a higher role', async () => {
  const parent = await createTokenParent('project');
  assertRejected(
    await parent.manager.post(`${parent.at}/access_tokens`, { ...TOKEN_INPUT, access_level: 50 }),
    400,
    '400 Bad request - Access level of the token contains permissions not held by the creating user',
  );
  assert.deepEqual(await listTokens(parent), []);
});
