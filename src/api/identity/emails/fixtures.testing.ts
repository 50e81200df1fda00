import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

// What the tests of addresses begin with.

interface Named {
  readonly id: number;
}

const { root, name } = await world();

/** An address that nobody has. */
export const address = () => `${name('address')}@mail.test`;

export const primaryOf = ({ username }: Caller) => `${username}@hearth.test`;

export const pathOf = ({ id }: Named) => `/users/${id}/emails`;

/** What the user has, as an administrator sees it. */
export async function addressesOf(of: Named): Promise<string[]> {
  return (await root.get(pathOf(of))).body.map(({ email }: { email: string }) => email);
}

/** A secondary address that an administrator gives to the user. */
export async function added(to: Caller, email: string, confirmed = false): Promise<Named> {
  const answer = await root.post(pathOf(to), { email, skip_confirmation: confirmed });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}
