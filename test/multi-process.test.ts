import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { test } from 'node:test';
import { startServer } from '#server.ts';
import { engine } from './engines/engine.ts';
import { scratchDirectory } from './engines/scratch.ts';
import { basic } from './examples/scene.ts';
import { browser, PASSWORD, signedInBrowser, userWithPassword } from './support/browser.ts';
import { type Caller, createCaller } from './support/caller.ts';
import { type World, world } from './support/world.ts';

// Two processes that share one PostgreSQL database: changes by one apply to the next request to the other.

const here = await world();
const { root, user, tokenOf, clock } = here;

const skip = engine === 'sqlite' ? 'SQLite has one process' : false;

type At = (caller: Caller) => Caller;

/** Starts a second server with the accounts of the first, on the same or another data directory. */
async function withSecond(
  work: (there: World, at: At) => Promise<void>,
  dataDir = here.server.services.config.dataDir,
): Promise<void> {
  const { config, log } = here.server.services;
  // All servers of one database need the same key; another data directory does not have its file.
  const secretKey = (await here.server.services.secretKey()).export();
  const server = await startServer({ ...config, dataDir, secretKey }, { clock, log, work: false });
  const at: At = (caller) => createCaller({ address: server.address, registry: server.registry }, caller);
  try {
    await work({ ...here, server, root: at(root), anonymous: at(here.anonymous) }, at);
  } finally {
    await server.stop();
  }
}

test('a token revoked or a user blocked by one server is rejected by the other', { skip }, async () => {
  await withSecond(async (_there, at) => {
    const mira = await user();
    const other = await tokenOf(mira, ['api']);
    for (const caller of [mira, other]) assert.equal((await at(caller).get('/user')).status, 200);
    await mira.delete('/personal_access_tokens/self');
    assert.equal((await at(mira).get('/user')).body.error, 'invalid_token');
    await root.post(`/users/${mira.id}/block`);
    assert.equal((await at(other).get('/user')).status, 403);
    await at(root).post(`/users/${mira.id}/unblock`);
    assert.equal((await other.get('/user')).status, 200);
  });
});

test('a project that one server hides or shows is missing or there at the other at once', { skip }, async () => {
  await withSecond(async (_there, at) => {
    const project = await here.newProject();
    const visitor = await user();
    const setVisibility = async (visibility: 'private' | 'public') => {
      assert.equal((await at(project.owner).put(project.at, { visibility })).status, 200);
    };
    for (let round = 0; round < 3; round++) {
      // The first calls bring the caller, the project and the response into the caches.
      for (let call = 0; call < 3; call++) assert.equal((await visitor.get(project.at)).status, 404);
      await setVisibility('public');
      for (let call = 0; call < 3; call++) assert.equal((await visitor.get(project.at)).status, 200);
      await setVisibility('private');
    }
  });
});

test('one of two concurrent rotations of a token on two servers succeeds', { skip }, async () => {
  await withSecond(async (_there, at) => {
    for (let round = 0; round < 5; round++) {
      const mira = await user();
      const { id } = (await mira.get('/personal_access_tokens/self')).body;
      const spare = await tokenOf(mira, ['api']);
      const path = `/personal_access_tokens/${id}/rotate`;
      const both = await Promise.all([spare.post(path), at(spare).post(path)]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
    }
  });
});

test('creates one of two users with the same name on two servers', { skip }, async () => {
  await withSecond(async (_there, at) => {
    for (let round = 0; round < 5; round++) {
      const username = here.name('twin');
      const order = { username, name: 'Mira', email: `${username}@mail.test`, force_random_password: true };
      const both = await Promise.all([root.post('/users', order), at(root).post('/users', order)]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    }
  });
});

test('settings and flags apply on both servers', { skip }, async () => {
  await withSecond(async (there) => {
    const path = '/application/settings';
    assert.equal((await there.root.get(path)).body.users_get_by_id_limit, 300);
    await root.put(path, { users_get_by_id_limit: 7 });
    assert.equal((await there.root.get(path)).body.users_get_by_id_limit, 7);
    await there.root.put(path, { users_get_by_id_limit: 300, offset_pagination_limit: 100 });
    assert.equal((await root.get('/users', { page: 2, per_page: 100 })).status, 405);
    await root.put(path, { offset_pagination_limit: 50_000 });
    await root.post('/features/in_both', { value: true });
    assert.equal((await there.root.get('/features')).body.at(-1).name, 'in_both');
    await there.root.delete('/features/in_both');
    assert.deepEqual((await root.get('/features')).body, []);
  });
});

test('servers with different data directories share one LFS store', { skip }, async () => {
  const dataDir = await scratchDirectory('hearth-second-');
  const lfsAt = async (there: Caller) => {
    const { owner, path_with_namespace } = await here.newProject();
    const bytes = Buffer.from(`of ${path_with_namespace}`);
    const oid = createHash('sha256').update(bytes).digest('hex');
    const path = `//${path_with_namespace}.git/gitlab-lfs/objects/${oid}`;
    const headers = basic(owner);
    assert.equal((await there.send('PUT', `${path}/${bytes.length}`, { raw: bytes, headers })).status, 200);
    for (const one of [here.anonymous, there]) {
      assert.deepEqual((await one.send('GET', path, { headers })).bytes, bytes);
    }
  };
  await withSecond(async (there) => lfsAt(there.anonymous), dataDir);
  await withSecond(async (there) => lfsAt(there.anonymous));
  assert.deepEqual(await readdir(dataDir), [], 'nothing is kept in a data directory that others do not have');
  await rm(dataDir, { recursive: true });
});

test('the use of a token on one server is visible on the other', { skip }, async () => {
  await withSecond(async (_there, at) => {
    for (let round = 0; round < 5; round++) {
      const mira = await user();
      await at(mira).get('/user');
      const { tokens } = await here.server.services.database.reader
        .selectFrom('access_tokens')
        .select((eb) => eb.fn.countAll<number>().as('tokens'))
        .where('user_id', '=', mira.id)
        .where('last_used_at', 'is not', null)
        .executeTakeFirstOrThrow();
      assert.equal(tokens, 1);
    }
  });
});

test('a rate limit counts the requests to both servers', { skip }, async () => {
  await withSecond(async (_there, at) => {
    const mira = await user();
    const on = { throttle_authenticated_api_enabled: true, throttle_authenticated_api_requests_per_period: 4 };
    clock.advance(3600 - (Math.floor(clock.now().getTime() / 1000) % 3600));
    await root.put('/application/settings', on);
    const observed: unknown[] = [];
    for (const caller of [mira, at(mira), mira, at(mira)]) {
      observed.push((await caller.get('/version')).headers['ratelimit-observed']);
    }
    assert.deepEqual(observed, ['1', '2', '3', '4']);
    assert.equal((await at(mira).get('/version')).status, 429);
    clock.advance(3600);
    const off = { throttle_authenticated_api_enabled: false, throttle_authenticated_api_requests_per_period: 7200 };
    assert.equal((await root.put('/application/settings', off)).status, 200);
  });
});

test('a sign-in or sign-out at one server applies at the other', { skip }, async () => {
  await withSecond(async (there) => {
    const visit = await signedInBrowser(here, await userWithPassword(here));
    const elsewhere = browser(there, visit.cookie());
    assert.equal((await elsewhere.send('GET', '/user')).status, 200);
    const headers = { 'X-CSRF-Token': visit.csrfToken() };
    const made = await elsewhere.send('POST', '/projects', { headers, params: { name: here.name('project') } });
    assert.equal(made.status, 201);
    await elsewhere.send('POST', '//users/sign_out');
    assert.equal((await visit.send('GET', '/user')).status, 401);
  });
});

test('a code is exchanged once and a token refreshed once across servers', { skip }, async () => {
  await withSecond(async (there) => {
    const mira = await userWithPassword(here);
    const password = { grant_type: 'password', username: mira.username, password: PASSWORD };
    for (let round = 0; round < 5; round++) {
      const { refresh_token, access_token } = (await here.anonymous.post('//oauth/token', password)).body;
      const order = { grant_type: 'refresh_token', refresh_token };
      const both = await Promise.all([here, there].map(({ anonymous }) => anonymous.post('//oauth/token', order)));
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
      const old = await there.anonymous.get('/user', { access_token });
      assert.equal(old.status, 401);
    }
  });
});
