import assert from 'node:assert/strict';
import { type Caller, world } from '#test/support/world.ts';

// Fixtures for tests of the deletion job.

/** Creates a resource and returns the response body. */
export async function createResource(caller: Caller, path: string, params: object) {
  const response = await caller.post(path, { ...params });
  assert.equal(response.status, 201, `${path}: ${response.text}`);
  return response.body;
}

/** Deletes the user; the job stays in the queue. */
export async function deleteUser({ id }: Caller, params: object = {}): Promise<void> {
  const { root } = await world();
  assert.equal((await root.delete(`/users/${id}`, { ...params })).status, 204);
}
