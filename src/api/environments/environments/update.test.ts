import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// Changing and destroying environments (contract/environments.md Part 1).

async function given() {
  const here = await world({ project: { with: ['developer', 'reporter', 'maintainer'] } });
  const { project, developer } = here;
  const { body } = await expectSuccess(
    developer.post(`${project.at}/environments`, { name: 'prod', external_url: 'https://a.example' }),
  );
  return { ...here, made: body, at: `${project.at}/environments/${body.id}` };
}

test('updates attributes and keeps the name', async () => {
  const { developer, made, at, clock } = await given();
  clock.advance(60);
  const { status, body } = await developer.put(at, {
    name: 'other',
    external_url: 'https://b.example',
    tier: 'testing',
  });
  assert.equal(status, 200);
  assert.deepEqual(body, { ...made, external_url: 'https://b.example', tier: 'testing', updated_at: body.updated_at });
  assert.notEqual(body.updated_at, made.updated_at);
});

test('keeps updated_at if nothing changes', async () => {
  const { developer, made, at, clock } = await given();
  clock.advance(60);
  assert.deepEqual((await developer.put(at, {})).body, made);
  const same = { external_url: 'https://a.example', tier: 'production', description: '', auto_stop_setting: null };
  assert.deepEqual((await developer.put(at, same)).body, made);
});

test('clears the URL and guesses the tier again on null', async () => {
  const { developer, at } = await given();
  await expectSuccess(developer.put(at, { tier: 'other', description: 'Here', auto_stop_setting: 'with_action' }));
  const { external_url, tier, description, auto_stop_setting } = (
    await developer.put(at, { external_url: null, tier: null, description: null })
  ).body;
  assert.deepEqual([external_url, tier, description, auto_stop_setting], [null, 'production', null, 'with_action']);
});

test('returns field errors without changing anything', async () => {
  const { developer, made, at } = await given();
  const wrong = await developer.put(at, {
    external_url: 'javascript:a',
    description: 'a'.repeat(10_001),
    tier: 'other',
  });
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.body, {
    message: {
      external_url: ['javascript scheme is not allowed'],
      description: ['is too long (maximum is 10000 characters)'],
    },
  });
  const { project, ...kept } = made;
  const slug = await developer.put(at, { slug: 'b', tier: 'other' });
  assert.deepEqual(slug.body, { error: 'slug is automatically generated and cannot be changed' });
  const read = (await developer.get(at)).body;
  assert.deepEqual({ ...read, ...kept }, read);
});

test('returns 403 to Reporters for any id, and 404 to Developers for unknown ids', async () => {
  const { developer, reporter, project, at } = await given();
  assert.equal((await reporter.put(at, { tier: 'other' })).status, 403);
  assert.equal((await reporter.put(`${project.at}/environments/999999`, {})).status, 403);
  assert.equal((await developer.put(`${project.at}/environments/999999`, {})).status, 404);
  assert.equal((await developer.put(`${project.at}/environments/x`, {})).status, 400);
});

test('deletes only a stopped environment, with its deployments', async () => {
  const { developer, owner, root, reporter, project, at } = await given();
  for (const by of [developer, owner, root]) assert.equal((await by.delete(at)).status, 403);
  await expectSuccess(developer.post(`${at}/stop`));
  assert.equal((await reporter.delete(at)).status, 403);
  assert.equal((await reporter.delete(`${project.at}/environments/999999`)).status, 404);
  assert.equal((await developer.delete(at)).status, 204);
  assert.deepEqual((await developer.delete(at)).body, { message: '404 Not found' });
});

test('returns 412 for the deletion of an environment that has changed', async () => {
  const { developer, at } = await given();
  await expectSuccess(developer.post(`${at}/stop`));
  const remove = (moment: string) => developer.send('DELETE', at, { headers: { 'If-Unmodified-Since': moment } });
  const stale = await remove('Thu, 01 Jan 2015 00:00:00 GMT');
  assert.deepEqual([stale.status, stale.body], [412, { message: '412 Precondition Failed' }]);
  assert.equal((await developer.get(at)).status, 200);
  assert.equal((await remove('2099-01-01T00:00:00Z')).status, 204);
});
