import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

// Helpers for tests of email addresses.

interface UserRef {
  readonly id: number;
}

const { root, name } = await world();

/** Returns an address that no user has. */
export const generateAddress = () => `${name('address')}@mail.test`;

export const getPrimaryAddress = ({ username }: Caller) => `${username}@hearth.test`;

export const getEmailsPath = ({ id }: UserRef) => `/users/${id}/emails`;

/** Returns the addresses of a user that an administrator can list. */
export async function listAddresses(user: UserRef): Promise<string[]> {
  return (await root.get(getEmailsPath(user))).body.map(({ email }: { email: string }) => email);
}

/** Adds a secondary address to the user as an administrator. */
export async function addAddress(user: Caller, email: string, confirmed = false): Promise<UserRef> {
  const response = await root.post(getEmailsPath(user), { email, skip_confirmation: confirmed });
  assert.equal(response.status, 201, response.text);
  return response.body;
}
