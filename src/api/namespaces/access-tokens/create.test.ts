import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';
import { givenPlace, givenToken, KINDS, ORDER, type Place } from './fixtures.testing.ts';

// The world's clock stands at 2026-01-02. Each test is run with a project's tokens and with a group's.

function refuses(answer: Answer, status: number, message: string): void {
  assert.deepEqual([answer.status, answer.body], [status, { message }]);
}

async function tokensOf({ owner, at }: Place): Promise<{ id: number }[]> {
  return (await owner.get(`${at}/access_tokens`)).body;
}

for (const kind of KINDS) {
  test(`${kind}: a created token has a Maintainer's role unless another is asked for`, async () => {
    const place = await givenPlace(kind);
    const { body } = await givenToken(place, { scopes: ['api', 'read_repository'], description: 'for builds' });
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
      resource_id: place.id,
    });
    const shown = { id, user_id, ...rest };
    assert.deepEqual(await tokensOf(place), [shown], 'and its secret is shown once');
    assert.deepEqual((await place.owner.get(`${place.at}/access_tokens/${id}`)).body, shown);
  });

  test(`${kind}: a token acts as its bot, with the bot's role and the token's scopes`, async () => {
    const place = await givenPlace(kind);
    const write = { description: 'changed by a bot' };
    const guest = await givenToken(place, { access_level: 10 });
    assert.equal((await guest.bot.get('/user')).body.id, guest.body.user_id);
    assert.equal((await guest.bot.get(place.at)).status, 200);
    assert.equal((await guest.bot.put(place.at, write)).status, 403);
    const reader = await givenToken(place, { access_level: 50, scopes: ['read_api'] });
    assert.equal((await reader.bot.put(place.at, write)).status, 403);
    const owner = await givenToken(place, { access_level: 50 });
    assert.equal((await owner.bot.put(place.at, write)).body.description, 'changed by a bot');
    const used = (await place.owner.get(`${place.at}/access_tokens/${guest.id}`)).body;
    assert.equal(used.last_used_at, '2026-01-02T03:04:05.000Z');
  });

  test(`${kind}: what an order may not ask for`, async () => {
    const place = await givenPlace(kind);
    const post = (params: Record<string, unknown>) => place.owner.post(`${place.at}/access_tokens`, params);
    const errors: [Record<string, unknown>, string][] = [
      [{}, 'name is missing, scopes is missing'],
      [{ ...ORDER, scopes: 'api' }, 'scopes is invalid'],
      [{ ...ORDER, scopes: ['root'] }, 'scopes does not have a valid value'],
      [{ ...ORDER, access_level: 25 }, 'access_level does not have a valid value'],
      [{ ...ORDER, access_level: 60 }, 'access_level does not have a valid value'],
      [{ ...ORDER, expires_at: 'soon' }, 'expires_at is invalid'],
    ];
    for (const scope of ['read_user', 'sudo', 'admin_mode', 'read_service_ping']) {
      errors.push([{ ...ORDER, scopes: [scope] }, 'scopes does not have a valid value']);
    }
    for (const [params, error] of errors) {
      const answer = await post(params);
      assert.deepEqual([answer.status, answer.body], [400, { error }], JSON.stringify(params));
    }
    refuses(await post({ name: 'ci', scopes: ['api'] }), 400, '400 Bad request - expires_at is missing');
    const refusesOrder = async (wrong: Record<string, unknown>, text: string) =>
      refuses(await post({ ...ORDER, ...wrong }), 400, `400 Bad request - ${text}`);
    await refusesOrder({ expires_at: '2027-01-03' }, 'Expiration date must be before 2027-01-02');
    await refusesOrder({ scopes: [] }, "Scopes can't be blank");
    await refusesOrder({ name: ' ', scopes: [] }, "Name can't be blank and Scopes can't be blank");
    await refusesOrder({ name: 'x'.repeat(256) }, 'Name is too long (maximum is 255 characters)');
    assert.deepEqual(await tokensOf(place), []);
  });

  test(`${kind}: a date that is null is the latest one, and none while nobody has to name one`, async () => {
    const { root } = await world();
    const place = await givenPlace(kind);
    const made = async () => (await place.owner.post(`${place.at}/access_tokens`, { ...ORDER, expires_at: null })).body;
    assert.equal((await made()).expires_at, '2027-01-02');
    await root.put('/application/settings', { require_personal_access_token_expiry: false });
    const { expires_at } = await made();
    await root.put('/application/settings', { require_personal_access_token_expiry: true });
    assert.equal(expires_at, null);
  });

  test(`${kind}: of several things that are wrong the first is told: parameters, role, level, date, the rest`, async () => {
    const place = await givenPlace(kind, { visibility: 'public' });
    const low = await place.add('guest');
    const path = `${place.at}/access_tokens`;
    const undated = { name: ' ', scopes: [], access_level: 50 };
    assert.deepEqual((await low.post(path, { scopes: 'x' })).body, { error: 'name is missing, scopes is invalid' });
    assert.match((await low.post(path, undated)).body.message, /does not have permission/);
    const maintainer = await place.add('maintainer');
    const told = (await maintainer.post(path, undated)).body.message;
    assert.match(told, kind === 'project' ? /not held by the creating user/ : /does not have permission/);
    assert.match((await place.owner.post(path, undated)).body.message, /expires_at is missing/);
    const late = { ...undated, expires_at: '2030-01-01' };
    assert.match(
      (await place.owner.post(path, late)).body.message,
      /Name can't be blank, Scopes can't be blank, and Expiration date must be before/,
    );
    assert.deepEqual((await low.get(path, { state: 'odd' })).body, { error: 'state does not have a valid value' });
    assert.equal((await low.delete(`${path}/4711`)).status, 404);
    assert.deepEqual(await tokensOf(place), []);
  });

  test(`${kind}: a form orders as JSON does, by the place's path too`, async () => {
    const place = await givenPlace(kind);
    const made = (await place.owner.get(place.at)).body;
    const full = encodeURIComponent(made.path_with_namespace ?? made.full_path);
    const raw =
      'name=form&scopes[]=api&scopes[]=read_api&scopes[]=api&expires_at=2026-12-01&access_level=20&description=';
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await place.owner.send('POST', `/${kind}s/${full}/access_tokens`, { raw, headers });
    assert.equal(status, 201);
    assert.deepEqual([body.scopes, body.access_level, body.description], [['api', 'read_api'], 20, null]);
    assert.equal((await place.owner.get(`/${kind}s/${full}/access_tokens/${body.id}`)).body.id, body.id);
  });

  test(`${kind}: every scope and role that there is for bots may be ordered`, async () => {
    const place = await givenPlace(kind);
    const scopes = [
      ...['api', 'read_api', 'create_runner', 'manage_runner', 'k8s_proxy', 'self_rotate', 'read_repository'],
      ...['write_repository', 'read_registry', 'write_registry', 'read_virtual_registry', 'write_virtual_registry'],
      ...['read_observability', 'write_observability', 'ai_features'],
    ];
    assert.deepEqual((await givenToken(place, { scopes })).body.scopes, scopes);
    for (const access_level of [10, 15, 20, 30, 40, 50]) {
      assert.equal((await givenToken(place, { access_level })).body.access_level, access_level);
    }
    assert.equal((await givenToken(place, { access_level: null })).body.access_level, 40);
  });

  test(`${kind}: a past day is taken, and the token is dead; the last possible one too, and it lives`, async () => {
    const place = await givenPlace(kind);
    const past = await givenToken(place, { expires_at: '2026-01-02' });
    assert.equal(past.body.active, false);
    assert.equal((await past.bot.get('/user')).status, 401);
    const last = await givenToken(place, { expires_at: '2027-01-02' });
    assert.equal((await last.bot.get('/user')).status, 200);
  });

  test(`${kind}: those with too low a role get 400 on create and delete, 401 on the rest`, async () => {
    const place = await givenPlace(kind, { visibility: 'public' });
    const { user, server } = await world();
    const { id, bot } = await givenToken(place, { name: 'The bot' });
    const lower = kind === 'project' ? 'developer' : 'maintainer';
    for (const caller of [await user(), await place.add('guest'), await place.add(lower)]) {
      const path = `${place.at}/access_tokens`;
      refuses(
        await caller.post(path, ORDER),
        400,
        `400 Bad request - User does not have permission to create ${kind} access token`,
      );
      const named = `400 Bad request - Name of ${caller.username} cannot delete The bot`;
      refuses(await caller.delete(`${path}/${id}`), 400, named);
      refuses(await caller.get(path), 401, '401 Unauthorized');
      refuses(await caller.get(`${path}/${id}`), 401, '401 Unauthorized');
      refuses(await caller.get(`${path}/4711`), 401, '401 Unauthorized');
      refuses(await caller.post(`${path}/${id}/rotate`), 401, '401 Unauthorized');
      refuses(await caller.post(`${path}/4711/rotate`), 401, '401 Unauthorized');
    }
    assert.equal((await tokensOf(place)).length, 1);
    assert.equal((await bot.get('/user')).status, 200);
    const { reader } = server.services.database;
    const bots = reader.selectFrom('users').select('id').where('username', 'like', `${kind}_${place.id}_bot_%`);
    assert.equal((await bots.execute()).length, 1, 'no bot was made');
  });

  test(`${kind}: nobody finds out about a private one, and without credentials nothing is looked up`, async () => {
    const { anonymous, user } = await world();
    const place = await givenPlace(kind, { visibility: 'private' });
    const { id, bot } = await givenToken(place);
    const other = await givenToken(await givenPlace(kind));
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
      const path = `${place.at}/access_tokens${rest}`;
      const params = method === 'POST' ? ORDER : undefined;
      refuses(await anonymous.send(method, path), 401, '401 Unauthorized');
      for (const stranger of [await user(), other.bot]) {
        refuses(await stranger.send(method, path, { params }), 404, missing);
      }
    }
    assert.equal((await bot.get('/user')).status, 200);
  });

  test(`${kind}: the least role that manages tokens, and a bot that has it`, async () => {
    const { root } = await world();
    const place = await givenPlace(kind);
    const path = `${place.at}/access_tokens`;
    const made = await place.manager.post(path, { ...ORDER, access_level: 30 });
    assert.equal(made.status, 201);
    const { bot } = await givenToken(place, { access_level: 50 });
    for (const caller of [place.manager, bot, root]) {
      assert.equal((await caller.get(path)).body.length, 2);
      assert.equal((await caller.get(`${path}/${made.body.id}`)).body.user_id, made.body.user_id);
    }
    refuses(
      await bot.post(path, { ...ORDER, access_level: 10 }),
      400,
      `400 Bad request - User does not have permission to create ${kind} access token`,
    );
    assert.equal((await root.post(path, { ...ORDER, access_level: 50 })).status, 201);
    assert.equal((await bot.delete(`${path}/${made.body.id}`)).status, 204);
  });

  test(`${kind}: the audit log of the place tells of tokens, and never a secret`, async () => {
    const place = await givenPlace(kind);
    const { id, body } = await givenToken(place, {
      name: 'The bot',
      scopes: ['api', 'read_repository'],
      access_level: 30,
    });
    const next = (await place.owner.post(`${place.at}/access_tokens/${id}/rotate`)).body;
    for (let twice = 0; twice < 2; twice++) await place.manager.delete(`${place.at}/access_tokens/${next.id}`);
    const { body: events, text } = await place.owner.get(`${place.at}/audit_events`);
    const about = events.filter((event: { event_name: string }) => event.event_name.startsWith(`${kind}_access_token`));
    const created = (token: number) =>
      `Created ${kind} access token with token_id: ${token} with scopes: ["api", "read_repository"] and Developer access level.`;
    const revoked = (token: number) => `Revoked ${kind} access token with token_id: ${token}`;
    const rows = about.map(({ author_id, event_name, details }: (typeof events)[number]) => [
      ...[author_id, event_name, details.target_id, details.custom_message],
    ]);
    assert.deepEqual(rows, [
      [place.manager.id, `${kind}_access_token_deleted`, next.id, revoked(next.id)],
      [place.owner.id, `${kind}_access_token_created`, next.id, created(next.id)],
      [place.owner.id, `${kind}_access_token_deleted`, id, revoked(id)],
      [place.owner.id, `${kind}_access_token_created`, id, created(id)],
    ]);
    for (const { details } of about) {
      assert.deepEqual([details.target_type, details.target_details], ['PersonalAccessToken', 'The bot']);
    }
    assert.ok(!text.includes(body.token) && !text.includes(next.token));
  });
}

test('group: an archived group, or one below it, has no new tokens and keeps those that it has', async () => {
  const place = await givenPlace('group');
  const { id } = await givenToken(place, {});
  await place.owner.post(`${place.at}/archive`);
  const refused = await place.owner.post(`${place.at}/access_tokens`, { ...ORDER });
  refuses(refused, 400, '400 Bad request - User does not have permission to create group access token');
  assert.equal((await place.owner.delete(`${place.at}/access_tokens/${id}`)).status, 204);
});

test('project: a Maintainer gives no role above his own', async () => {
  const place = await givenPlace('project');
  refuses(
    await place.manager.post(`${place.at}/access_tokens`, { ...ORDER, access_level: 50 }),
    400,
    '400 Bad request - Access level of the token contains permissions not held by the creating user',
  );
  assert.deepEqual(await tokensOf(place), []);
});
