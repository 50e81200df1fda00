import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

export const EXPIRES = '2026-12-01';

export const pathOf = ({ id }: Caller) => `/users/${id}/impersonation_tokens`;

/** A token with which whoever has it acts as this user. */
export async function newToken(of: Caller, changes: Readonly<Record<string, unknown>> = {}) {
  const { root, name } = await world();
  const order = { name: name('token'), scopes: ['api'], expires_at: EXPIRES, ...changes };
  const answer = await root.post(pathOf(of), order);
  assert.equal(answer.status, 201, answer.text);
  return answer.body as { id: number; token: string };
}
