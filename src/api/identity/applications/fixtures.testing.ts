import assert from 'node:assert/strict';
import { world } from '#test/support/world.ts';

export const APPLICATION_INPUT = {
  redirect_uri: 'https://app.test/cb\nhttp://localhost:7171/cb',
  scopes: 'read_user api',
};

export async function createTestApplication() {
  const { root, name } = await world();
  const { status, body } = await root.post('/applications', { ...APPLICATION_INPUT, name: name('app') });
  assert.equal(status, 201);
  return body as { id: number; application_id: string; secret: string };
}
