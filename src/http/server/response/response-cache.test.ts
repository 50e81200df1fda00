import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { root, anonymous, user, clock, newProject } = await world();

test('returns the current response after every change', async () => {
  const { id } = await newProject({ owner: root });
  const described = async () => (await root.get(`/projects/${id}`)).body.description;
  await root.put(`/projects/${id}`, { description: 'one' });
  assert.deepEqual([await described(), await described()], ['one', 'one']);
  await root.put(`/projects/${id}`, { description: 'two' });
  assert.equal(await described(), 'two');
});

test('checks the access of every caller and caches responses per caller', async () => {
  const { id, addMember: add } = await newProject({ owner: root });
  const [member, stranger] = [await add('reporter'), await user()];
  assert.equal((await root.get(`/projects/${id}`)).body.permissions.project_access.access_level, 50);
  assert.equal((await member.get(`/projects/${id}`)).body.permissions.project_access.access_level, 20);
  assert.equal((await stranger.get(`/projects/${id}`)).status, 404);
  assert.equal((await anonymous.get(`/projects/${id}`)).status, 404);
  await root.delete(`/projects/${id}/members/${member.id}`);
  assert.equal((await member.get(`/projects/${id}`)).status, 404);
});

test('caches responses separately by query, page and host', async () => {
  await newProject({ owner: root, visibility: 'public' });
  await newProject({ owner: root, visibility: 'public' });
  const onPage = async (page: number) => (await root.get('/projects', { per_page: 1, page })).body[0].id;
  const id = await onPage(1);
  assert.notEqual(id, await onPage(2));
  const seenFrom = async (host: string) => (await root.get(`/projects/${id}`, {}, { host })).body.web_url as string;
  assert.match(await seenFrom('one.test'), /^http:\/\/one\.test\//);
  assert.match(await seenFrom('other.test'), /^http:\/\/other\.test\//);
});

test('returns 304 with pagination headers for a matching cached response', async () => {
  const { headers } = await root.get('/projects', { per_page: 1 });
  const again = await root.get('/projects', { per_page: 1 }, { 'if-none-match': String(headers.etag) });
  assert.equal(again.status, 304);
  assert.equal(again.headers['x-per-page'], '1');
  assert.equal(again.headers['content-type'], undefined);
});

test('a membership that expires invalidates its cached responses', async () => {
  const { addMember: add } = await newProject({ owner: root });
  const tomorrow = new Date(clock.now().getTime() + 86_400_000).toISOString().slice(0, 10);
  const member = await add('reporter', undefined, { expires_at: tomorrow });
  const listed = async () => (await member.get('/projects', { membership: true })).body.length;
  assert.equal(await listed(), 1);
  clock.advance(86_400);
  assert.equal(await listed(), 0);
});
