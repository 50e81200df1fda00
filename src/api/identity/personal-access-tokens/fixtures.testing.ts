import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

/** A token that an administrator has made for this user, and the user with it. */
export async function issued(owner: Caller, params: object = {}) {
  const { root, withToken } = await world();
  const order = { name: 'ci', scopes: ['api'], ...params };
  const { status, body } = await root.post(`/users/${owner.id}/personal_access_tokens`, order);
  assert.equal(status, 201, JSON.stringify(body));
  return { ...body, caller: withToken(owner, body.token) };
}
