import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statements } from '#test/support/statement-watch.ts';
import { world } from '#test/support/world.ts';

const { newProject } = await world();

const here = await world();
const { root, anonymous, user } = here;

/** A read that everybody may make and that no answer is remembered of. */
async function publicRead(): Promise<string> {
  const project = await newProject({ owner: root, visibility: 'public' });
  return `${project.repository}/contributors`;
}

test('a token costs one indexed read, however it is sent', async () => {
  const path = await publicRead();
  const caller = await user();
  await caller.get(path);
  const without = await statements(here, () => anonymous.get(path));
  const header = await statements(here, () => caller.get(path));
  const bearer = { authorization: `Bearer ${caller.token}` };
  const bearing = await statements(here, () => anonymous.get(path, {}, bearer));
  const parameter = await statements(here, () => anonymous.get(path, { private_token: caller.token }));
  assert.deepEqual([header, bearing, parameter], [without + 1, without + 1, without + 1]);
});

test('an OAuth token costs one indexed read', async () => {
  const path = await publicRead();
  const grant = { grant_type: 'password', username: 'root', password: 'correct-horse-battery' };
  const { access_token } = (await anonymous.post('//oauth/token', grant)).body;
  const bearer = { authorization: `Bearer ${access_token}` };
  await anonymous.get(path, {}, bearer);
  const without = await statements(here, () => anonymous.get(path));
  assert.equal(await statements(here, () => anonymous.get(path, {}, bearer)), without + 1);
});
