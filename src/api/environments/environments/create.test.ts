import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

// Making environments (contract/environments.md Part 1).

test('an environment that is made has its tier guessed and its slug made, and shows neither logs nor deployments', async () => {
  const { project, developer } = await world({ project: { with: ['developer'] } });
  const { status, body } = await developer.post(`${project.at}/environments`, { name: 'review/fix-foo' });
  assert.equal(status, 201);
  const { id, created_at, updated_at, project: shown, ...rest } = body;
  assert.equal(shown.path_with_namespace, project.path_with_namespace);
  assert.equal(created_at, updated_at);
  assert.ok(id > 0);
  assert.deepEqual(rest, {
    name: 'review/fix-foo',
    slug: 'review-fix-foo-v25cyx',
    external_url: null,
    tier: 'development',
    state: 'available',
    auto_stop_at: null,
    description: null,
    auto_stop_setting: 'always',
  });
});
