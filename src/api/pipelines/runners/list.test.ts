import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Runner, world } from '#test/support/world.ts';
import { STATUS_FILTERS, type StatusFilter } from './status.ts';

// contract/runners.md §1.1, "States"

const here = await world({ group: { with: ['guest', 'planner', 'reporter', 'developer', 'maintainer'] } });
const { group, owner, maintainer, root, anonymous, newRunner, newGroup, newProject, clock } = here;
const sub = await newGroup({ in: group });
const project = await newProject({ in: sub });
const runners = {
  instance: await newRunner(),
  group: await newRunner({ in: group }),
  sub: await newRunner({ in: sub }),
  project: await newRunner({ in: project }),
};

const ids = async (caller: Caller, path: string, params = {}): Promise<number[]> => {
  const { status, body, text } = await caller.get(path, { per_page: 100, ...params });
  assert.equal(status, 200, text);
  return body.map(({ id }: Runner) => id);
};

test('lists runners of maintained projects and owned groups, but no instance runners', async () => {
  assert.deepEqual(await ids(owner, '/runners'), [runners.group.id, runners.sub.id, runners.project.id]);
  assert.deepEqual(await ids(maintainer, '/runners'), [runners.project.id]);
  for (const role of ['guest', 'planner', 'reporter', 'developer'] as const) {
    assert.deepEqual(await ids(here[role], '/runners'), [], role);
  }
  assert.deepEqual(await ids(root, '/runners'), []);
  assert.equal((await anonymous.get('/runners')).status, 401);
});

test('allows only administrators to list all runners', async () => {
  const all = await ids(root, '/runners/all');
  for (const { id } of Object.values(runners)) assert.ok(all.includes(id));
  const { status, body } = await owner.get('/runners/all');
  assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  assert.equal((await anonymous.get('/runners/all')).status, 401);
});

test('accepts only tokens with the scopes api and read_api', async () => {
  const [reader, manager] = [await here.tokenOf(owner, ['read_api']), await here.tokenOf(owner, ['manage_runner'])];
  assert.equal((await reader.get('/runners')).status, 200);
  assert.equal((await manager.get('/runners')).body.error, 'insufficient_scope');
  assert.equal((await manager.get(runners.group.at)).status, 200);
  assert.equal((await manager.put(runners.group.at, { description: 'managed' })).status, 200);
  assert.equal((await reader.put(runners.group.at, { description: 'read' })).status, 403);
});

test('an element of a list has the keys of the list form', async () => {
  const { body } = await owner.get('/runners', { type: 'group_type', per_page: 1 });
  assert.deepEqual(Object.keys(body[0]).sort(), [
    ...['active', 'created_at', 'created_by', 'description', 'id', 'ip_address', 'is_shared', 'job_execution_status'],
    ...['name', 'online', 'paused', 'runner_type', 'status'],
  ]);
  assert.equal(body[0].job_execution_status, 'idle');
});

test('rejects invalid filters with their own messages', async () => {
  for (const name of ['scope', 'type', 'status']) {
    const { status, body } = await owner.get('/runners', { [name]: 'wrong' });
    assert.deepEqual([status, body], [400, { error: `${name} does not have a valid value` }]);
  }
  for (const version_prefix of ['a', '.1', 'v16', '']) {
    const { status, body } = await owner.get('/runners', { version_prefix });
    assert.deepEqual([status, body], [400, { error: 'version_prefix is invalid' }], version_prefix);
  }
  for (const scope of ['specific', 'shared', 'instance_type', 'group_type', 'project_type']) {
    const { status, body } = await owner.get('/runners', { scope });
    assert.deepEqual([status, body], [400, { message: 'Scope contains invalid value' }]);
    assert.equal((await root.get('/runners/all', { scope })).status, 200);
    assert.equal((await owner.get(`${project.at}/runners`, { scope })).status, 200);
  }
});

test('filters by type, and by type with the deprecated scopes', async () => {
  const of = (params: object) => ids(owner, `${project.at}/runners`, params);
  assert.deepEqual(await of({ scope: 'specific' }), [runners.group.id, runners.sub.id, runners.project.id]);
  assert.deepEqual(await of({ type: 'group_type' }), [runners.group.id, runners.sub.id]);
  assert.deepEqual(await of({ scope: 'project_type' }), [runners.project.id]);
  assert.deepEqual((await of({ scope: 'shared' })).includes(runners.instance.id), true);
  assert.deepEqual(await of({ scope: 'shared', type: 'group_type' }), []);
});

test('filters by a thousand tags in one query, which matches no runner', { timeout: 5000 }, async () => {
  const { owner, at } = await newProject({ in: group });
  const tag_list = Array.from({ length: 1000 }, (_, index) => `tag-${index}`);
  const tagged = await newRunner({ in: group, tag_list: tag_list.slice(0, 50) });
  for (const path of [`${group.at}/runners`, `${at}/runners`]) {
    assert.deepEqual(await ids(owner, path, { tag_list: tag_list.join() }), []);
    assert.deepEqual(await ids(owner, path, { tag_list: tag_list.slice(0, 50) }), [tagged.id]);
  }
});

test('lists only runners with all given tags', async () => {
  const place = await newProject();
  const both = await newRunner({ in: place, tag_list: ['ruby', 'docker'] });
  const one = await newRunner({ in: place, tag_list: ['ruby'] });
  const of = (tag_list: unknown) => ids(place.owner, '/runners', { tag_list });
  assert.deepEqual(await of('ruby'), [both.id, one.id]);
  assert.deepEqual(await of(['docker', 'ruby']), [both.id]);
  assert.deepEqual([await of('Ruby'), await of('ruby,none')], [[], []]);
  await place.owner.put(one.at, { paused: true });
  assert.deepEqual(await ids(place.owner, '/runners', { tag_list: 'ruby', paused: true }), [one.id]);
  assert.deepEqual(await ids(place.owner, '/runners', { status: 'active', tag_list: 'ruby' }), [both.id]);
  assert.deepEqual(await ids(place.owner, '/runners', { scope: 'paused', paused: false }), []);
});

test('a version is told by its whole parts, and a runner with several managers is listed once', async () => {
  const place = await newProject();
  const made: Record<string, number> = {};
  for (const version of ['15.1.0', '15.1.20', '15.10.0', '16.0.0~beta.1', '1.6.0']) {
    const { id, token } = await newRunner({ in: place });
    made[version] = id;
    for (const system_id of ['s_1', 's_2']) {
      await anonymous.post('/runners/verify', { token, system_id, info: { version } });
    }
  }
  const versions = async (version_prefix: string) => {
    const found = await ids(place.owner, '/runners', { version_prefix });
    return found.map((id) => Object.keys(made).find((version) => made[version] === id));
  };
  assert.deepEqual(await versions('15'), ['15.1.0', '15.1.20', '15.10.0']);
  assert.deepEqual(await versions('15.'), ['15.1.0', '15.1.20', '15.10.0']);
  assert.deepEqual(await versions('15.1'), ['15.1.0', '15.1.20']);
  assert.deepEqual(await versions('15.1.2'), []);
  assert.deepEqual(await versions('15.1.20.'), ['15.1.20']);
  assert.deepEqual(await versions('16.0.0'), ['16.0.0~beta.1']);
  assert.deepEqual([await versions('1'), await versions('15.1.20.1'), await versions('15x')], [['1.6.0'], [], []]);
});

test('filters runners by the status derived from the time of contact', async () => {
  const place = await newProject();
  const names = ['silent', 'stale', 'offline', 'online', 'paused', 'new'];
  const made: Runner[] = [];
  for (const name of names) made.push(await newRunner({ in: place, paused: name === 'paused' }));
  const [, stale, offline, online, paused] = made as [Runner, Runner, Runner, Runner, Runner, Runner];
  const contact = (...some: Runner[]) =>
    Promise.all(some.map(({ token }) => anonymous.post('/runners/verify', { token })));
  await contact(stale, offline, online, paused);
  clock.advance(7 * 86_400 - 2 * 3600);
  await contact(offline);
  clock.advance(2 * 3600);
  await contact(online, paused);
  const rows: RunnerBody[] = [];
  for (const { at } of made) rows.push((await place.owner.get(at)).body);
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['stale', 'stale', 'offline', 'online', 'paused', 'stale'],
  );
  for (const status of STATUS_FILTERS) {
    const expected = rows.filter((row) => matchesFilter(row, status)).map(({ id }) => id);
    assert.deepEqual(await ids(place.owner, '/runners', { status }), expected, status);
    assert.deepEqual(await ids(place.owner, '/runners', { scope: status }), expected, status);
  }
});

interface RunnerBody {
  readonly id: number;
  readonly status: string;
  readonly contacted_at: string | null;
  readonly online: boolean | null;
  readonly paused: boolean;
}

/** Returns whether a runner matches the filter, according to its fields. */
function matchesFilter({ status, contacted_at, online, paused }: RunnerBody, filter: StatusFilter): boolean {
  const matches: Record<StatusFilter, boolean> = {
    active: !paused,
    paused,
    online: online === true,
    offline: online === false,
    never_contacted: contacted_at === null,
    stale: status === 'stale',
  };
  return matches[filter];
}
