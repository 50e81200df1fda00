import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findIngestionLimits } from '#domain/error-tracking.ts';
import { type Caller, done, type Project, world } from '#test/support/world.ts';

// The keys with which senders report errors (contract/monitoring.md §8).

const TIER = 'ultimate';
const keysOf = ({ at }: Project) => `${at}/error_tracking/client_keys`;

interface Key {
  readonly id: number;
  readonly public_key: string;
}

const make = async (by: Caller, project: Project): Promise<Key> => (await done(by.post(keysOf(project)))).body;

test('whatever is sent with the wish for a key is not looked at', async () => {
  const { maintainer, project } = await world({ project: { with: ['maintainer'] } });
  for (const [raw, type] of [
    ['plain', 'text/plain'],
    ['{', 'application/json'],
    ['a[=%', 'application/x-www-form-urlencoded'],
  ] as const) {
    const { status, text } = await maintainer.send('POST', keysOf(project), { raw, headers: { 'Content-Type': type } });
    assert.equal(status, 201, text);
  }
});

test('a new key has exactly four keys, and a DSN that names server, key and project', async () => {
  const { project, maintainer, server } = await world({ project: { with: ['maintainer'] } });
  const { status, body } = await maintainer.post(keysOf(project), { active: false, id: 'ignored' });
  assert.equal(status, 201);
  assert.match(body.public_key, /^glet_[0-9a-f]{32}$/);
  const host = new URL(server.address).host;
  const sentry_dsn = `http://${body.public_key}@${host}/errortracking/api/v1/projects/${project.id}`;
  assert.deepEqual(body, { id: body.id, active: true, public_key: body.public_key, sentry_dsn });
});

test('a DSN keeps the path and the port of the external address', async () => {
  const env = { HEARTH_EXTERNAL_URL: 'https://hearth.example.com:8443/tools' };
  const { project, owner } = await world({ env, project: {} });
  const { public_key, sentry_dsn } = (await owner.post(keysOf(project))).body;
  const path = `/tools/errortracking/api/v1/projects/${project.id}`;
  assert.equal(sentry_dsn, `https://${public_key}@hearth.example.com:8443${path}`);
});

test('every call makes another key, and a list has all of them by id, in pages', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const keys = [await make(maintainer, project), await make(maintainer, project), await make(maintainer, project)];
  const whole = await maintainer.get(keysOf(project));
  assert.deepEqual(whole.body, keys);
  assert.equal(new Set(keys.map(({ public_key }) => public_key)).size, 3);
  const { body, headers } = await maintainer.get(keysOf(project), { per_page: 1, page: 2 });
  assert.deepEqual([body, headers['x-total'], headers['x-next-page']], [[keys[1]], '3', '3']);
});

test('a key works at once and beside others, and no more once it is deleted', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer, server } = here;
  const [old, young] = [await make(maintainer, project), await make(maintainer, project)];
  const mayReport = async ({ public_key: key }: Key, projectId = project.id) =>
    (await findIngestionLimits(server.services.database.reader, { projectId, key, tier: TIER })) !== null;
  assert.deepEqual([await mayReport(old), await mayReport(young)], [true, true]);
  assert.equal(await mayReport(old, (await here.newProject({})).id), false);
  const { status, body } = await maintainer.delete(`${keysOf(project)}/${old.id}`);
  assert.deepEqual([status, body], [200, old]);
  assert.deepEqual([await mayReport(old), await mayReport(young)], [false, true]);
  assert.deepEqual((await maintainer.get(keysOf(project))).body, [young]);
});

test('a key that is not there, not a number or of another project is not found, and stays', async () => {
  const { project, maintainer, newProject } = await world({ project: { with: ['maintainer'] } });
  const other = await newProject({});
  const foreign = await make(other.owner, other);
  for (const id of [foreign.id, 0, -1, 'abc', '1.5', '99999999999999999999', 'glet_x']) {
    const { status, body } = await maintainer.delete(`${keysOf(project)}/${id}`);
    assert.deepEqual([id, status, body], [id, 404, { message: '404 Not found' }]);
  }
  assert.deepEqual((await other.owner.get(keysOf(other))).body, [foreign]);
});

test('keys are for maintainers, with a token that may write', async () => {
  const here = await world({
    project: { visibility: 'public', with: ['guest', 'reporter', 'developer', 'maintainer'] },
  });
  const { project, maintainer, tokenOf } = here;
  const { id } = await make(maintainer, project);
  const reading = await tokenOf(maintainer, ['read_api']);
  const callers = [here.anonymous, await here.user(), here.guest, here.reporter, here.developer, reading];
  const told = async (call: (by: Caller) => Promise<{ readonly status: number }>) =>
    (await Promise.all(callers.map(call))).map(({ status }) => status);
  assert.deepEqual(await told((by) => by.get(keysOf(project))), [401, 403, 403, 403, 403, 200]);
  assert.deepEqual(await told((by) => by.post(keysOf(project))), [401, 403, 403, 403, 403, 403]);
  assert.deepEqual(await told((by) => by.delete(`${keysOf(project)}/${id}`)), [401, 403, 403, 403, 403, 403]);
  assert.equal((await here.anonymous.get('/projects/999999999/error_tracking/client_keys')).status, 401);
  const hidden = await here.newProject({});
  assert.deepEqual((await (await here.user()).get(keysOf(hidden))).body, { message: '404 Project Not Found' });
  assert.equal((await maintainer.get(keysOf(project))).body.length, 1);
});
