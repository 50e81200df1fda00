import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Transaction } from '#database/database.ts';
import { isFailure } from '#runtime/failure.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { testClock } from '#test/support/test-clock.ts';
import type { UserState } from './caller.ts';
import { identify } from './credentials.ts';
import { createToken, revokeToken } from './tokens/access-tokens.ts';
import { createTokenUses } from './tokens/token-usage.ts';
import { createUser } from './users/users.ts';

const noKey = () => Promise.reject(new Error('No token is encrypted'));

async function surroundings() {
  const clock = testClock();
  const database = await testDatabase({ clock });
  const warnings: object[] = [];
  const tokenUses = createTokenUses({ database, clock, log: { warn: (fields) => warnings.push(fields) } });
  const services = { database, clock, config: { impersonationEnabled: true }, tokenUses, secretKey: noKey };
  const ask = (secret: string | null, changes: object = {}) =>
    identify({ ...services, ...changes }, secret === null ? null : { way: 'private', secret }, {
      clientAddress: '10.0.0.9',
    });
  return { clock, database, tokenUses, warnings, ask, [Symbol.asyncDispose]: () => database.close() };
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

test('nobody costs no query', async () => {
  await using it = await surroundings();
  const found = await it.ask(null, { database: null });
  assert.deepEqual(found, { caller: { user: null, token: null, address: '10.0.0.9' }, barred: null });
});

test('a token names its user, its scopes and the address', async () => {
  await using it = await surroundings();
  const { user, token, secret } = await person(it.database, { scopes: ['api', 'sudo'] });
  const found = await it.ask(secret);
  await it.tokenUses.settled();
  assert.equal(found.dead, undefined);
  assert.equal(found.caller?.user?.id, user.id);
  assert.deepEqual(found.caller?.token, {
    kind: 'access_token',
    id: token.id,
    scopes: ['api', 'sudo'],
    impersonation: false,
  });
  assert.equal(found.caller?.address, '10.0.0.9');
});

test('expired comes before revoked, and a revoked token is told in both cases', async () => {
  await using it = await surroundings();
  const { token, secret } = await person(it.database, { expiresAt: '2026-01-03' });
  await change(it.database, (tx) => revokeToken(tx, token.id));
  assert.deepEqual(await it.ask(secret), { dead: { code: 'revoked', revokedTokenId: token.id } });
  it.clock.advance(86_400);
  assert.deepEqual(await it.ask(secret), { dead: { code: 'expired', revokedTokenId: token.id } });
  assert.deepEqual(await it.ask('glpat-unknown'), { dead: { code: 'unknown', revokedTokenId: null } });
});

test('a user in any other state than active is barred', async () => {
  await using it = await surroundings();
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
    assert.equal((await it.ask(secret)).barred, bar, state);
  }
  await it.tokenUses.settled();
  const { last_used_at } = await it.database.reader
    .selectFrom('access_tokens')
    .select('last_used_at')
    .executeTakeFirstOrThrow();
  assert.equal(last_used_at, null, 'and uses nothing');
});

test('an impersonation token counts only while impersonation is on', async () => {
  await using it = await surroundings();
  const { secret } = await person(it.database, { impersonation: true });
  assert.equal((await it.ask(secret)).barred, null);
  assert.equal((await it.ask(secret, { config: { impersonationEnabled: false } })).barred, 'impersonation_off');
  await it.tokenUses.settled();
});

test('many requests at once are one remembered use, and the five latest addresses stay', async () => {
  await using it = await surroundings();
  const { token } = await person(it.database);
  const uses = it.tokenUses;
  const seen = async () =>
    it.database.reader
      .selectFrom('access_tokens')
      .innerJoin('users', 'users.id', 'access_tokens.user_id')
      .select(['last_used_at', 'last_used_ips', 'last_activity_on'])
      .executeTakeFirstOrThrow();
  for (let address = 1; address <= 6; address++) {
    const used = { id: token.id, user_id: token.user_id, ...(await seen()) };
    for (let again = 0; again < 3; again++) uses.note(used, `10.0.0.${address}`);
    await uses.settled();
    uses.note({ ...used, ...(await seen()) }, `10.0.0.${Math.max(1, address - 1)}`);
    await uses.settled();
    it.clock.advance(600);
  }
  const { last_used_at, last_used_ips, last_activity_on } = await seen();
  assert.equal(last_used_at, '2026-01-02T03:54:05.000Z');
  assert.deepEqual(JSON.parse(last_used_ips), ['10.0.0.6', '10.0.0.5', '10.0.0.4', '10.0.0.3', '10.0.0.2']);
  assert.equal(last_activity_on, '2026-01-02');
});

test('a use that cannot be written is a line in the log, and the next one is tried again', async () => {
  const warnings: object[] = [];
  let tries = 0;
  const transaction = async () => {
    tries += 1;
    throw new Error('The database is away');
  };
  const database = { transaction } as unknown as Database;
  const uses = createTokenUses({ database, clock: testClock(), log: { warn: (fields) => warnings.push(fields) } });
  const used = { id: 1, user_id: 1, last_used_at: null, last_used_ips: '[]', last_activity_on: null };
  for (let request = 0; request < 2; request++) {
    uses.note(used, '10.0.0.9');
    await uses.settled();
  }
  assert.equal(warnings.length, 2);
  assert.equal(tries, 2);
});
