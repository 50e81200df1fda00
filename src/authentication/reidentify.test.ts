import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashToken } from '#security/tokens.ts';
import { world } from '#test/support/world.ts';
import type { SignedInCaller } from './caller.ts';
import { createOAuthToken, revokeOAuthToken } from './oauth/tokens.ts';
import { reidentify } from './reidentify.ts';
import { createSession, deleteSessionsOfUser } from './sessions/sessions.ts';
import { findUserById } from './users/users.ts';

const { server, root, user, clock } = await world();
const { database } = server.services;

/** A new user, known by this credential. */
async function somebody(credential: (userId: number) => Promise<Partial<SignedInCaller>>): Promise<SignedInCaller> {
  const { id } = await user();
  const row = await findUserById(database.reader, id);
  assert.ok(row);
  return { user: row, token: null, address: null, ...(await credential(id)) };
}

const again = (caller: SignedInCaller) => database.transaction((tx) => reidentify(tx, caller));
const isStill = async (caller: SignedInCaller) => (await again(caller))?.user.id === caller.user.id;

const bySession = (secret: string) => async (userId: number) => {
  await database.transaction((tx) => createSession(tx, { secret, userId }));
  return { sessionDigest: hashToken(secret) };
};

async function byOAuth(userId: number): Promise<Partial<SignedInCaller>> {
  const given = { applicationId: null, userId, scopes: ['api'], renewable: false };
  const { tokenRow: token } = await database.transaction((tx) => createOAuthToken(tx, given));
  return { token: { kind: 'oauth', id: token.id, scopes: ['api'], impersonation: false } };
}

test('a deleted session identifies no user', async () => {
  const caller = await somebody(bySession('a'.repeat(43)));
  assert.equal(await isStill(caller), true);
  await database.transaction((tx) => deleteSessionsOfUser(tx, caller.user.id));
  assert.equal(await again(caller), null);
});

test('an expired session identifies no user', async () => {
  const caller = await somebody(bySession('b'.repeat(43)));
  clock.advance(8 * 86_400);
  assert.equal(await again(caller), null);
});

test('an OAuth token is valid until it is revoked or two hours old', async () => {
  const [revoked, old] = [await somebody(byOAuth), await somebody(byOAuth)];
  assert.deepEqual([await isStill(revoked), await isStill(old)], [true, true]);
  await database.transaction((tx) => revokeOAuthToken(tx, revoked.token?.id ?? 0));
  assert.equal(await again(revoked), null);
  clock.advance(7200);
  assert.equal(await again(old), null);
});

test('work on behalf of a blocked user is rejected', async () => {
  const caller = await somebody(async () => ({}));
  assert.equal(await isStill(caller), true);
  await root.post(`/users/${caller.user.id}/block`);
  assert.equal(await again(caller), null);
});
