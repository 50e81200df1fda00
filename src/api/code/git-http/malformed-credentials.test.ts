import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('rejects malformed credentials like wrong ones', async () => {
  const { anonymous, root, name } = await world();
  const created = await root.post('/projects', { name: name('project'), visibility: 'public' });
  const path = `//${created.body.path_with_namespace}.git/info/refs?service=git-upload-pack`;
  assert.equal((await anonymous.get(path)).status, 200);
  for (const bytes of ['a\u0000b:c', 'root:\u0000', '\u0000:\u0000', 'ä:ö']) {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const Authorization = `Basic ${Buffer.from(bytes, encoding).toString('base64')}`;
      const { status, headers } = await anonymous.get(path, {}, { Authorization });
      assert.equal(status, 401, JSON.stringify(bytes));
      assert.match(String(headers['www-authenticate']), /^Basic /);
    }
  }
});
