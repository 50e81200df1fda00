import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFeatureEnabled } from '#settings/features.ts';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

const gates = (value: boolean, ...more: object[]) => [
  { key: 'boolean', value },
  { key: 'expression', value: null },
  ...more,
];

test('enables, disables and deletes a flag', async () => {
  const { root, server } = await world();
  const { reader } = server.services.database;
  const on = () => isFeatureEnabled(reader, { flag: 'archive_rate_limit', tier: 'ultimate' });
  assert.equal(await on(), false);
  const { status, body } = await root.post('/features/archive_rate_limit', { value: true });
  assert.equal(status, 201);
  assert.equal(body.state, 'on');
  assert.deepEqual(body.gates, gates(true));
  assert.equal(body.definition.default_enabled, false);
  assert.equal(await on(), true);
  assert.equal((await root.post('/features/archive_rate_limit', { value: 'false' })).body.state, 'off');
  assert.equal(await on(), false);
  await root.post('/features/integrated_error_tracking', { value: 0 });
  const flags = async () => (await root.get('/features')).body.map(({ name }: { name: string }) => name);
  assert.deepEqual(await flags(), ['archive_rate_limit', 'integrated_error_tracking']);
  assert.equal((await root.delete('/features/integrated_error_tracking')).status, 204);
  assert.equal((await root.delete('/features/integrated_error_tracking')).status, 204);
  assert.deepEqual(await flags(), ['archive_rate_limit']);
  assert.equal(await isFeatureEnabled(reader, { flag: 'integrated_error_tracking', tier: 'free' }), true);
});

test('ignores empty parameters', async () => {
  const { root } = await world();
  const none = { key: '', feature_group: '', user: '', group: '', namespace: '', project: '', runner: '' };
  const { status, body } = await root.post('/features/odd', { value: true, ...none });
  assert.deepEqual([status, body.state, body.gates], [201, 'on', gates(true)]);
});

test('adds actors, and removes them with false', async () => {
  const { root, user, server } = await world();
  const [mira, otto] = [await user(), await user()];
  const path = '/features/override_bulk_import_disabled';
  await root.post(path, { value: true, user: mira.username });
  const { body } = await root.post(path, { value: true, user: otto.username.toUpperCase(), namespace: 'root' });
  assert.equal(body.state, 'conditional');
  assert.deepEqual(body.gates.at(-1).value.slice(0, 2), [`User:${mira.id}`, `User:${otto.id}`]);
  const onFor = (id: number) =>
    isFeatureEnabled(server.services.database.reader, {
      flag: 'override_bulk_import_disabled',
      tier: 'ultimate',
      actor: { type: 'User', id },
    });
  assert.deepEqual([await onFor(mira.id), await onFor(1)], [true, false]);
  await root.post(path, { value: false, user: mira.username });
  assert.deepEqual([await onFor(mira.id), await onFor(otto.id)], [false, true]);
  const unknown = await root.post(path, { value: true, user: `${mira.username},nobody` });
  assert.equal(unknown.status, 400);
  assert.deepEqual(unknown.body, { message: '400 Bad request - nobody is not found!' });
  assert.equal(await onFor(mira.id), false, 'nothing happened');
});

test('enables a percentage of actors stably', async () => {
  const { root, server } = await world();
  const path = '/features/prometheus_notify_max_alerts';
  const share = async () => {
    const asked = Array.from({ length: 200 }, (_, id) =>
      isFeatureEnabled(server.services.database.reader, {
        flag: 'prometheus_notify_max_alerts',
        tier: 'free',
        actor: { type: 'Project', id },
      }),
    );
    return (await Promise.all(asked)).map((on, id) => (on ? id : -1)).filter((id) => id >= 0);
  };
  const { body } = await root.post(path, { value: 30, key: 'percentage_of_actors' });
  assert.deepEqual(body.gates, gates(false, { key: 'percentage_of_actors', value: 30 }));
  const some = await share();
  assert.ok(some.length > 30 && some.length < 90, String(some.length));
  assert.deepEqual(await share(), some);
  await root.post(path, { value: '100', key: 'percentage_of_actors' });
  assert.equal((await share()).length, 200);
  await root.post(path, { value: 0 });
  assert.equal((await share()).length, 0);
});

test('rejects invalid values', async () => {
  const { root } = await world();
  const say = async (params: object) => (await root.post('/features/whatever', { ...params })).body;
  assert.deepEqual(await say({}), { error: 'value is missing' });
  assert.deepEqual(await say({ value: 101 }), { message: '400 Bad request - Cannot set \'whatever\' to "101"' });
  for (const value of ['-1', '1e2', 'maybe', '', 'constructor', '__proto__', 'toString']) {
    assert.deepEqual(await say({ value }), { message: `400 Bad request - Cannot set 'whatever' to "${value}"` });
  }
  assert.deepEqual(await say({ value: true, key: 'percentage_of_actors', user: 'root' }), {
    error: 'key, user are mutually exclusive',
  });
  assert.equal(
    (await root.get('/features')).body.some(({ name }: { name: string }) => name === 'whatever'),
    false,
  );
  const { definition, state } = (await root.post('/features/whatever', { value: 1, key: 'percentage_of_time' })).body;
  assert.deepEqual([definition, state], [null, 'conditional']);
});

test('disables a flag with 0 percent and enables it with 100', async () => {
  const { root } = await world();
  const path = '/features/some_of_it';
  for (const key of ['percentage_of_time', 'percentage_of_actors']) {
    for (const [value, on] of [
      [100, true],
      ['0', false],
      ['100', true],
      [0, false],
    ] as const) {
      await root.post(path, { value: 50, key });
      await root.post(path, { value: true, user: 'root' });
      const { status, body } = await root.post(path, { value, key });
      assert.equal(status, 201);
      assert.deepEqual([body.state, body.gates], [on ? 'on' : 'off', gates(on)]);
    }
  }
  await root.post(path, { value: 12.5 });
  const { state, gates: some } = (await root.get('/features')).body.find(
    (flag: { name: string }) => flag.name === 'some_of_it',
  );
  assert.deepEqual([state, some], ['conditional', gates(false, { key: 'percentage_of_time', value: 12.5 })]);
});

test('accepts several actors by path, ignoring case', async () => {
  const { root, user } = await world();
  const mira = await user();
  const group = await newGroup({ owner: mira });
  const projects = [await newProject({ in: group }), await newProject({ owner: mira })];
  const paths = projects.map(({ path_with_namespace }) => path_with_namespace);
  const { status, body } = await root.post('/features/named', {
    value: 'true',
    user: ` ${mira.username} , root`,
    group: group.full_path.toUpperCase(),
    project: paths.join(','),
  });
  assert.equal(status, 201);
  const actors = [`User:${mira.id}`, 'User:1', `Group:${group.id}`, ...projects.map(({ id }) => `Project:${id}`)];
  assert.deepEqual(body.gates, gates(false, { key: 'actors', value: actors }));
  for (const actor of ['user', 'group', 'namespace', 'project', 'runner']) {
    const missing = await root.post('/features/named', { value: true, [actor]: 'no/such,root' });
    assert.deepEqual([missing.status, missing.body], [400, { message: '400 Bad request - no/such is not found!' }]);
    const twice = await root.post('/features/named', { value: true, key: 'percentage_of_time', [actor]: 'no/such' });
    assert.deepEqual([twice.status, twice.body], [400, { error: `key, ${actor} are mutually exclusive` }]);
  }
  assert.deepEqual((await root.post('/features/named', { value: false, group: group.full_path })).body.gates, [
    ...gates(false),
    { key: 'actors', value: actors.filter((actor) => actor !== `Group:${group.id}`) },
  ]);
});

test('accepts any flag name and keeps both concurrent changes', async () => {
  const { root, user } = await world();
  const odd = await root.post('/features/an%20odd%2Fname%3F', { value: true });
  assert.deepEqual([odd.status, odd.body.name], [201, 'an odd/name?']);
  assert.equal((await root.delete('/features/an%20odd%2Fname%3F')).status, 204);
  const users = await Promise.all([1, 2, 3, 4].map(() => user()));
  const calls = users.map(({ username }) => root.post('/features/shared', { value: true, user: username }));
  for (const { status } of await Promise.all(calls)) assert.equal(status, 201);
  const { gates: all } = (await root.get('/features')).body.find((flag: { name: string }) => flag.name === 'shared');
  assert.deepEqual(all.at(-1).value.sort(), users.map(({ id }) => `User:${id}`).sort());
});
