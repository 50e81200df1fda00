import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

const here = await world({ project: { with: ['maintainer', 'developer'] } });
const { project, owner, maintainer, developer, anonymous, root, newProject, server, clock, runJobs } = here;

const at = (place: Pick<Project, 'at'> = project) => `${place.at}/triggers`;
const made = async (by = owner, params: object = {}) =>
  (await expectSuccess(by.post(at(), { description: 'nightly', ...params }))).body;

test('shows the full token to its creator and administrators, and a shortened one to others', async () => {
  const { id, token, created_at, updated_at, owner: shownOwner, ...rest } = await made();
  assert.match(token, /^glptt-[\w-]{20,}$/);
  assert.equal(shownOwner.id, owner.id);
  assert.deepEqual(rest, { description: 'nightly', last_used: null, expires_at: null });
  const tokenFor = async (by: typeof owner) => (await by.get(`${at()}/${id}`)).body.token;
  assert.equal(await tokenFor(owner), token);
  assert.equal(await tokenFor(root), token);
  assert.equal(await tokenFor(maintainer), token.slice('glptt-'.length, 'glptt-'.length + 4));
  const { body: listed } = await maintainer.get(at());
  assert.deepEqual(
    listed.map((one: { id: number; token: string }) => [one.id, one.token]),
    [[id, token.slice(6, 10)]],
  );
});

test('denies triggers to users below Maintainer', async () => {
  const { id } = await made();
  for (const by of [developer, anonymous]) {
    const status = by === anonymous ? 401 : 403;
    assert.equal((await by.get(at())).status, status);
    assert.equal((await by.post(at(), { description: 'x' })).status, status);
    assert.equal((await by.get(`${at()}/${id}`)).status, status);
    assert.equal((await by.put(`${at()}/${id}`, { description: 'x' })).status, status);
    assert.equal((await by.delete(`${at()}/${id}`)).status, status);
  }
});

test('allows its owner and administrators, but no other Maintainers, to update the description', async () => {
  const { id } = await made();
  const text = '403 Forbidden - The current user is not authorized to update the pipeline trigger token';
  const refusedTo = await maintainer.put(`${at()}/${id}`, { description: 'theirs' });
  assert.deepEqual([refusedTo.status, refusedTo.body], [403, { message: text }]);
  assert.equal((await owner.put(`${at()}/${id}`, { description: 'mine' })).body.description, 'mine');
  assert.equal((await root.put(`${at()}/${id}`, { description: 'ours' })).body.description, 'ours');
  assert.equal((await owner.put(`${at()}/${id}`, {})).body.description, 'ours');
});

test('allows any Maintainer to delete a trigger, and returns 404 for one of another project', async () => {
  const { id } = await made();
  const other = await newProject({ owner });
  for (const path of [`${at(other)}/${id}`, `${at()}/999999`]) {
    const { status, body } = await owner.get(path);
    assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
  }
  assert.equal((await maintainer.delete(`${at()}/${id}`)).status, 204);
  assert.equal((await owner.get(`${at()}/${id}`)).status, 404);
});

test('limits the expiry of a trigger to one year', async () => {
  const before = new Date(clock.now().getTime() + 365 * 86_400_000).toISOString().slice(0, 10);
  const late = await owner.post(at(), { description: 'x', expires_at: before });
  const text = `400 Bad request - {"expires_at":["must be before ${before}"]}`;
  assert.deepEqual([late.status, late.body], [400, { message: text }]);
  const dayBefore = new Date(Date.parse(before) - 86_400_000).toISOString();
  assert.equal((await made(owner, { expires_at: dayBefore })).expires_at, dayBefore);
  const missing = await owner.post(at(), {});
  assert.deepEqual([missing.status, missing.body], [400, { error: 'description is missing' }]);
});

test('deletes a trigger thirty days after its expiry', async () => {
  const end = new Date(clock.now().getTime() + 3600_000).toISOString();
  const { id } = await made(owner, { expires_at: end });
  const { id: endless } = await made();
  clock.advance(30 * 86_400);
  await runJobs();
  assert.equal((await owner.get(`${at()}/${id}`)).status, 200);
  clock.advance(2 * 86_400);
  await runJobs();
  assert.equal((await owner.get(`${at()}/${id}`)).status, 404);
  assert.equal((await owner.get(`${at()}/${endless}`)).status, 200);
});

test('limits a project to 25,000 triggers', async () => {
  const full = await newProject({ owner });
  const rest = sql`'x', 'x', 'abcd', ${clock.now().toISOString()}, ${clock.now().toISOString()}`;
  await server.services.database.transaction((tx) =>
    sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 24999)
      insert into pipeline_triggers
        (token_digest, project_id, owner_id, description, encrypted_token, short_token, created_at, updated_at)
      select 'made ' || n, ${sql.lit(full.id)}, ${sql.lit(owner.id)}, ${rest} from numbers`.execute(tx),
  );
  const create = () => owner.post(at(full), { description: 'one more' });
  const both = await Promise.all([create(), create()]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 400]);
  const text = '400 Bad request - {"base":["Maximum number of pipeline triggers (25000) exceeded"]}';
  assert.deepEqual((await create()).body, { message: text });
});

test('stores no token in plain text', async () => {
  const { id, token } = await made();
  const found = server.services.database.reader.selectFrom('pipeline_triggers').selectAll().where('id', '=', id);
  assert.ok(!JSON.stringify(await found.executeTakeFirstOrThrow()).includes(token.slice(6)));
});
