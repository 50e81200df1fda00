import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const { root, anonymous, user, withToken, newProject } = await world();
const project = await newProject();

const ROUTES = [
  ['POST', '/bulk_imports'],
  ['GET', '/bulk_imports'],
  ['GET', '/bulk_imports/entities'],
  ['GET', '/bulk_imports/1'],
  ['GET', '/bulk_imports/1/entities'],
  ['GET', '/bulk_imports/1/entities/1'],
  ['GET', '/bulk_imports/1/entities/1/failures'],
  ['POST', '/bulk_imports/1/cancel'],
  ['GET', `${project.at}/export_relations/status`],
  ['GET', '/groups/1/export_relations/status'],
] as const;

const turn = (on: boolean) => root.put('/application/settings', { bulk_import_enabled: on });

async function statuses(who: Caller): Promise<number[]> {
  const answers = await Promise.all(ROUTES.map(([method, path]) => who.send(method, path)));
  return answers.map(({ status }) => status);
}

test('returns 401 to anonymous callers', async () => {
  assert.deepEqual(new Set(await statuses(anonymous)), new Set([401]));
});

test('returns 404 on every route when imports are disabled', async () => {
  await turn(false);
  for (const who of [anonymous, withToken(root, 'glpat-nobodys'), root]) {
    assert.deepEqual(new Set(await statuses(who)), new Set([404]));
    assert.deepEqual((await who.get('/bulk_imports')).body, { message: '404 Not Found' });
  }
});

test('lets a user with the feature flag import although imports are disabled', async () => {
  const [mira, noah] = [await user(), await user()];
  await turn(false);
  await root.post('/features/override_bulk_import_disabled', { value: true, user: mira.username });
  assert.equal((await mira.get('/bulk_imports')).status, 200);
  assert.equal((await noah.get('/bulk_imports')).status, 404);
});
