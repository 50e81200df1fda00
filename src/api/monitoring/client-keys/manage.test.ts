import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findIngestionLimits } from '#domain/error-tracking.ts';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';

// Client keys, which SDKs use to report errors (contract/monitoring.md §8).

const TIER = 'ultimate';
const keysPath = ({ at }: Project) => `${at}/error_tracking/client_keys`;

interface Key {
  readonly id: number;
  readonly public_key: string;
}

const createKey = async (by: Caller, project: Project): Promise<Key> =>
  (await expectSuccess(by.post(keysPath(project)))).body;

test('ignores the body when it creates a key', async () => {
  const { maintainer, project } = await world({ project: { with: ['maintainer'] } });
  for (const [raw, type] of [
    ['plain', 'text/plain'],
    ['{', 'application/json'],
    ['a[=%', 'application/x-www-form-urlencoded'],
  ] as const) {
    const { status, text } = await maintainer.send('POST', keysPath(project), {
      raw,
      headers: { 'Content-Type': type },
    });
    assert.equal(status, 201, text);
  }
});

test('returns a new key with a DSN that contains the server, the key and the project', async () => {
  const { project, maintainer, server } = await world({ project: { with: ['maintainer'] } });
  const { status, body } = await maintainer.post(keysPath(project), { active: false, id: 'ignored' });
  assert.equal(status, 201);
  assert.match(body.public_key, /^glet_[0-9a-f]{32}$/);
  const host = new URL(server.address).host;
  const sentry_dsn = `http://${body.public_key}@${host}/errortracking/api/v1/projects/${project.id}`;
  assert.deepEqual(body, { id: body.id, active: true, public_key: body.public_key, sentry_dsn });
});

test('builds the DSN with the path and port of the external URL', async () => {
  const env = { HEARTH_EXTERNAL_URL: 'https://hearth.example.com:8443/tools' };
  const { project, owner } = await world({ env, project: {} });
  const { public_key, sentry_dsn } = (await owner.post(keysPath(project))).body;
  const path = `/tools/errortracking/api/v1/projects/${project.id}`;
  assert.equal(sentry_dsn, `https://${public_key}@hearth.example.com:8443${path}`);
});

test('creates a different key on each call, and lists the keys by id', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const keys = [
    await createKey(maintainer, project),
    await createKey(maintainer, project),
    await createKey(maintainer, project),
  ];
  const list = await maintainer.get(keysPath(project));
  assert.deepEqual(list.body, keys);
  assert.equal(new Set(keys.map(({ public_key }) => public_key)).size, 3);
  const { body, headers } = await maintainer.get(keysPath(project), { per_page: 1, page: 2 });
  assert.deepEqual([body, headers['x-total'], headers['x-next-page']], [[keys[1]], '3', '3']);
});

test('accepts a key until it is deleted, independently of other keys', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer, server } = here;
  const [old, young] = [await createKey(maintainer, project), await createKey(maintainer, project)];
  const mayReport = async ({ public_key: key }: Key, projectId = project.id) =>
    (await findIngestionLimits(server.services.database.reader, { projectId, key, tier: TIER })) !== null;
  assert.deepEqual([await mayReport(old), await mayReport(young)], [true, true]);
  assert.equal(await mayReport(old, (await here.newProject({})).id), false);
  const { status, body } = await maintainer.delete(`${keysPath(project)}/${old.id}`);
  assert.deepEqual([status, body], [200, old]);
  assert.deepEqual([await mayReport(old), await mayReport(young)], [false, true]);
  assert.deepEqual((await maintainer.get(keysPath(project))).body, [young]);
});

test('returns 404 for a key that does not exist or belongs to another project, and does not delete it', async () => {
  const { project, maintainer, newProject } = await world({ project: { with: ['maintainer'] } });
  const other = await newProject({});
  const foreign = await createKey(other.owner, other);
  for (const id of [foreign.id, 0, -1, 'abc', '1.5', '99999999999999999999', 'glet_x']) {
    const { status, body } = await maintainer.delete(`${keysPath(project)}/${id}`);
    assert.deepEqual([id, status, body], [id, 404, { message: '404 Not found' }]);
  }
  assert.deepEqual((await other.owner.get(keysPath(other))).body, [foreign]);
});

test('allows only maintainers to manage keys, and a read-only token only to list them', async () => {
  const here = await world({
    project: { visibility: 'public', with: ['guest', 'reporter', 'developer', 'maintainer'] },
  });
  const { project, maintainer, tokenOf } = here;
  const { id } = await createKey(maintainer, project);
  const withReadToken = await tokenOf(maintainer, ['read_api']);
  const callers = [here.anonymous, await here.user(), here.guest, here.reporter, here.developer, withReadToken];
  const statuses = async (call: (by: Caller) => Promise<{ readonly status: number }>) =>
    (await Promise.all(callers.map(call))).map(({ status }) => status);
  assert.deepEqual(await statuses((by) => by.get(keysPath(project))), [401, 403, 403, 403, 403, 200]);
  assert.deepEqual(await statuses((by) => by.post(keysPath(project))), [401, 403, 403, 403, 403, 403]);
  assert.deepEqual(await statuses((by) => by.delete(`${keysPath(project)}/${id}`)), [401, 403, 403, 403, 403, 403]);
  assert.equal((await here.anonymous.get('/projects/999999999/error_tracking/client_keys')).status, 401);
  const hidden = await here.newProject({});
  assert.deepEqual((await (await here.user()).get(keysPath(hidden))).body, { message: '404 Project Not Found' });
  assert.equal((await maintainer.get(keysPath(project))).body.length, 1);
});
