import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

/** Creates a token of this user as an administrator. Returns the response, and the user as a caller with the token. */
export async function issueTestToken(user: Caller, params: object = {}) {
  const { root, withToken } = await world();
  const input = { name: 'ci', scopes: ['api'], ...params };
  const { status, body } = await root.post(`/users/${user.id}/personal_access_tokens`, input);
  assert.equal(status, 201, JSON.stringify(body));
  return { ...body, caller: withToken(user, body.token) };
}
