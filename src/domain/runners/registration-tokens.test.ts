import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '#database/database.ts';
import { world } from '#test/support/world.ts';
import { getRegistrationToken, resetRegistrationToken } from './registration-tokens.ts';

const { newProject, newGroup, server } = await world();
const { database, secretKey } = server.services;

/** Returns a transaction that deletes nothing, as if another one had inserted a token after its deletion. */
const withoutDeletion = (tx: Transaction): Transaction =>
  new Proxy(tx, {
    get(target, name) {
      if (name === 'deleteFrom')
        return () => target.deleteFrom('runner_registration_tokens').where('runner_registration_tokens.id', '=', 0);
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

test('returns no token that is not stored if another token was inserted concurrently', async () => {
  const key = await secretKey();
  const group = { type: 'group', id: (await newGroup()).id } as const;
  const project = { type: 'project', id: (await newProject()).id } as const;
  for (const owner of [group, project]) {
    const first = await database.transaction((tx) => resetRegistrationToken(tx, key, owner));
    const conflict = () => database.transaction((tx) => resetRegistrationToken(withoutDeletion(tx), key, owner));
    await assert.rejects(conflict, /unique/i, owner.type);
    assert.equal(await getRegistrationToken(database.reader, key, owner), first);
  }
});
