import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';
import { insertImportWithFailure } from './fixtures.testing.ts';

const here = await world();

test('lets its owner and administrators cancel an import repeatedly, and nobody else', async () => {
  const [user, other] = [await here.user(), await here.user()];
  const { id, entity } = await insertImportWithFailure(here.server, user.id, { status: 'started' });
  const cancel = (who: Caller, which: number | string = id) => who.post(`/bulk_imports/${which}/cancel`);
  const refused = await cancel(other);
  assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
  assert.equal((await user.get(`/bulk_imports/${id}`)).body.status, 'started');
  for (const who of [user, here.root, user]) {
    const { status, body } = await cancel(who);
    assert.deepEqual([status, body.id, body.status], [200, id, 'canceled']);
  }
  assert.equal((await user.get(`/bulk_imports/${id}/entities/${entity}`)).body.status, 'canceled');
  const missing = await cancel(user, 999_999);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
  assert.deepEqual((await cancel(user, 'x')).body, { error: 'import_id is invalid' });
  assert.equal((await cancel(here.anonymous)).status, 401);
});
