import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

// What the tests of the work after a deletion begin with.

/** What the call has created. */
export async function made(by: Caller, path: string, params: object) {
  const answer = await by.post(path, { ...params });
  assert.equal(answer.status, 201, `${path}: ${answer.text}`);
  return answer.body;
}

/** Deletes the user; what follows waits in the queue. */
export async function remove({ id }: Caller, params: object = {}): Promise<void> {
  const { root } = await world();
  assert.equal((await root.delete(`/users/${id}`, { ...params })).status, 204);
}
