import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Transaction } from '#database/database.ts';
import { isFailure } from '#runtime/failure.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import type { UserState } from './caller.ts';
import { identify } from './credentials.ts';
import { createToken, revokeToken } from './tokens/access-tokens.ts';
import { createTokenUsage } from './tokens/token-usage.ts';
import { createUser } from './users/users.ts';

const noKey = () => Promise.reject(new Error('No token is encrypted'));

async function createFixture() {
  const clock = testClock();
  const database = await testDatabase({ clock });
  const warnings: object[] = [];
  const tokenUsage = createTokenUsage({ database, clock, log: { warn: (fields) => warnings.push(fields) } });
  const services = { database, clock, config: { impersonationEnabled: true }, tokenUsage, secretKey: noKey };
  const ask = (secret: string | null, changes: object = {}, scheme: 'private' | 'bearer' = 'private') =>
    identify({ ...services, ...changes }, secret === null ? null : { scheme, secret }, {
      clientAddress: '10.0.0.9',
    });
  return { clock, database, tokenUsage, warnings, ask, [Symbol.asyncDispose]: () => database.close() };
}

async function person(database: Database, token: object = {}) {
  return database.transaction(async (tx) => {
    const user = await createUser(tx, {
      username: 'mira',
      name: 'Mira',
      email: 'mira@x.test',
      passwordHash: null,
      confirmed: true,
    });
    if (isFailure(user)) throw new Error(user.code);
    const order = { userId: user.id, name: 'x', scopes: ['api'], expiresAt: null, prefix: 'glpat-', ...token };
    return { user, ...(await createToken(tx, order)) };
  });
}

const change = (database: Database, work: (tx: Transaction) => Promise<unknown>) => database.transaction(work);

test('an anonymous request runs no query', async () => {
  await using it = await createFixture();
  const found = await it.ask(null, { database: null });
  assert.deepEqual(found, { caller: { user: null, token: null, address: '10.0.0.9' }, block: null });
});

test('an access token in the format of an OAuth token identifies its user as a bearer token', async () => {
  await using it = await createFixture();
  const { user, secret } = await person(it.database, { secret: '0a'.repeat(32) });
  const found = await it.ask(secret, {}, 'bearer');
  assert.equal(found.caller?.user?.id, user.id);
  await it.tokenUsage.waitForFlush();
});

test('a token identifies its user, with scopes and address', async () => {
  await using it = await createFixture();
  const { user, tokenRow: token, secret } = await person(it.database, { scopes: ['api', 'sudo'] });
  const found = await it.ask(secret);
  await it.tokenUsage.waitForFlush();
  assert.equal(found.invalidToken, undefined);
  assert.equal(found.caller?.user?.id, user.id);
  assert.deepEqual(found.caller?.token, {
    kind: 'access_token',
    id: token.id,
    scopes: ['api', 'sudo'],
    impersonation: false,
  });
  assert.equal(found.caller?.address, '10.0.0.9');
});

test('expiry takes precedence over revocation, and a revoked token is reported in both cases', async () => {
  await using it = await createFixture();
  const { tokenRow: token, secret } = await person(it.database, { expiresAt: '2026-01-03' });
  await change(it.database, (tx) => revokeToken(tx, token.id));
  assert.deepEqual(await it.ask(secret), { invalidToken: { code: 'revoked', revokedTokenId: token.id } });
  it.clock.advance(86_400);
  assert.deepEqual(await it.ask(secret), { invalidToken: { code: 'expired', revokedTokenId: token.id } });
  assert.deepEqual(await it.ask('glpat-unknown'), { invalidToken: { code: 'unknown', revokedTokenId: null } });
});

test('a user in any state but active is blocked', async () => {
  await using it = await createFixture();
  const { user, secret } = await person(it.database);
  const bars: readonly [UserState, string][] = [
    ['blocked', 'blocked'],
    ['banned', 'blocked'],
    ['ldap_blocked', 'blocked'],
    ['deactivated', 'deactivated'],
    ['blocked_pending_approval', 'pending'],
  ];
  for (const [state, bar] of bars) {
    await change(it.database, (tx) => tx.updateTable('users').set({ state }).where('id', '=', user.id).execute());
    assert.equal((await it.ask(secret)).block, bar, state);
  }
  await it.tokenUsage.waitForFlush();
  const { last_used_at } = await it.database.reader
    .selectFrom('access_tokens')
    .select('last_used_at')
    .executeTakeFirstOrThrow();
  assert.equal(last_used_at, null, 'and uses nothing');
});

test('an impersonation token is valid only while impersonation is enabled', async () => {
  await using it = await createFixture();
  const { secret } = await person(it.database, { impersonation: true });
  assert.equal((await it.ask(secret)).block, null);
  assert.equal((await it.ask(secret, { config: { impersonationEnabled: false } })).block, 'impersonation_off');
  await it.tokenUsage.waitForFlush();
});

test('concurrent requests record one use, and the five latest addresses are kept', async () => {
  await using it = await createFixture();
  const { tokenRow: token } = await person(it.database);
  const uses = it.tokenUsage;
  const seen = async () =>
    it.database.reader
      .selectFrom('access_tokens')
      .innerJoin('users', 'users.id', 'access_tokens.user_id')
      .select(['last_used_at', 'last_used_ips', 'last_activity_on'])
      .executeTakeFirstOrThrow();
  for (let address = 1; address <= 6; address++) {
    const used = { id: token.id, user_id: token.user_id, ...(await seen()) };
    for (let again = 0; again < 3; again++) uses.recordToken(it.database, used, `10.0.0.${address}`);
    await uses.waitForFlush();
    uses.recordToken(it.database, { ...used, ...(await seen()) }, `10.0.0.${Math.max(1, address - 1)}`);
    await uses.waitForFlush();
    it.clock.advance(600);
  }
  const { last_used_at, last_used_ips, last_activity_on } = await seen();
  assert.equal(last_used_at, '2026-01-02T03:54:05.000Z');
  assert.deepEqual(JSON.parse(last_used_ips), ['10.0.0.6', '10.0.0.5', '10.0.0.4', '10.0.0.3', '10.0.0.2']);
  assert.equal(last_activity_on, '2026-01-02');
});

test('a failed write of a use is logged, and the next use is written', async () => {
  const warnings: object[] = [];
  let tries = 0;
  const transaction = async () => {
    tries += 1;
    throw new Error('The database is away');
  };
  const database = { transaction, verify: () => {} } as unknown as Database;
  const uses = createTokenUsage({ database, clock: testClock(), log: { warn: (fields) => warnings.push(fields) } });
  const used = { id: 1, user_id: 1, last_used_at: null, last_used_ips: '[]', last_activity_on: null };
  for (let request = 0; request < 2; request++) {
    uses.recordToken(database, used, '10.0.0.9');
    await uses.waitForFlush();
  }
  assert.equal(warnings.length, 2);
  assert.equal(tries, 2);
});
