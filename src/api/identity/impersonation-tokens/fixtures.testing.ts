import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

export const EXPIRES_AT = '2026-12-01';

export const getTokensPath = ({ id }: Caller) => `/users/${id}/impersonation_tokens`;

/** Creates an impersonation token of this user. */
export async function createTestToken(user: Caller, overrides: Readonly<Record<string, unknown>> = {}) {
  const { root, name } = await world();
  const input = { name: name('token'), scopes: ['api'], expires_at: EXPIRES_AT, ...overrides };
  const response = await root.post(getTokensPath(user), input);
  assert.equal(response.status, 201, response.text);
  return response.body as { id: number; token: string };
}
