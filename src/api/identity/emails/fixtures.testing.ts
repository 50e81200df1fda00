import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

// Helpers for tests of email addresses.

interface UserRef {
  readonly id: number;
}

const { root, name } = await world();

/** Returns an address that no user has. */
export const address = () => `${name('address')}@mail.test`;

export const primaryOf = ({ username }: Caller) => `${username}@hearth.test`;

export const pathOf = ({ id }: UserRef) => `/users/${id}/emails`;

/** Returns the addresses of a user that an administrator can list. */
export async function addressesOf(user: UserRef): Promise<string[]> {
  return (await root.get(pathOf(user))).body.map(({ email }: { email: string }) => email);
}

/** Adds a secondary address to the user as an administrator. */
export async function added(user: Caller, email: string, confirmed = false): Promise<UserRef> {
  const response = await root.post(pathOf(user), { email, skip_confirmation: confirmed });
  assert.equal(response.status, 201, response.text);
  return response.body;
}
