import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

// contract/runners.md §4.5: what a variable may be.

const here = await world({ project: { with: ['developer', 'maintainer'] } });
const { project, root, server } = here;
const group = await here.newGroup({ with: ['maintainer'] });
const INSTANCE = '/admin/ci';
const PLACES: readonly [at: string, by: Caller][] = [
  [project.at, project.owner],
  [group.at, group.owner],
  [INSTANCE, root],
];

test('a variable is shown as it is, its scope and whether it is hidden where it has such', async () => {
  for (const [at, by] of PLACES) {
    const { status, body } = await by.post(`${at}/variables`, { key: '  DEPLOY_KEY ', value: 's3cr3t!!' });
    assert.equal(status, 201);
    const rest = { value: 's3cr3t!!', protected: false, masked: false, raw: false, description: null };
    const scoped = at === INSTANCE ? {} : { hidden: false, environment_scope: '*' };
    assert.deepEqual(body, { variable_type: 'env_var', key: 'DEPLOY_KEY', ...rest, ...scoped });
    assert.deepEqual((await by.get(`${at}/variables/DEPLOY_KEY`)).body, body);
    const listed = (await by.get(`${at}/variables`)).body;
    assert.deepEqual(listed, [body]);
  }
});

test('accepts and returns all attributes', async () => {
  const flags = { protected: true, masked: true, raw: true };
  const params = { key: 'FULL', value: 'a(b)"c"{}', variable_type: 'file', ...flags, description: 'for deploying' };
  for (const [at, by] of PLACES) {
    const scoped = at === INSTANCE ? {} : { environment_scope: 'review/*' };
    const { status, body } = await by.post(`${at}/variables`, { ...params, ...scoped });
    assert.equal(status, 201, JSON.stringify(body));
    const hidden = at === INSTANCE ? {} : { hidden: false };
    assert.deepEqual(body, { ...params, ...scoped, ...hidden });
  }
});

test('rejects invalid values with errors by field', async () => {
  const letters = "can contain only letters, digits and '_'.";
  const scopeLetters = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces";
  const long = 'is too long (maximum is 255 characters)';
  const tooLong = (most: number) => `The value of the provided variable exceeds the ${most} character limit`;
  const masked = { masked: true };
  for (const [params, message] of [
    [{ key: '' }, { key: ["can't be blank", letters] }],
    [{ key: ' \t ' }, { key: ["can't be blank", letters] }],
    [{ key: 'a-b' }, { key: [letters] }],
    [{ key: 'ä'.repeat(256) }, { key: [long, letters] }],
    [{ key: 'a'.repeat(256) }, { key: [long] }],
    [{ value: 'é'.repeat(10_001) }, { value: [tooLong(10_000)] }],
    [{ value: 'x'.repeat(50_001), variable_type: 'file' }, { value: [tooLong(50_000)] }],
    [
      { value: 'x'.repeat(10_001), ...masked, key: '?' },
      { key: [letters], value: [tooLong(10_000)] },
    ],
    [{ value: '1234567', ...masked }, { value: ['is invalid'] }],
    [{ value: '12345678\n', ...masked }, { value: ['is invalid'] }],
    [{ value: '1234 5678', ...masked }, { value: ['is invalid'] }],
    [{ value: 'pass(word)', ...masked }, { value: ['is invalid'] }],
    [{ value: '1234 5678', ...masked, raw: true }, { value: ['is invalid'] }],
    [{ value: 'short', masked_and_hidden: true }, { value: ['is invalid'] }],
    [{ environment_scope: '' }, { environment_scope: ["can't be blank", scopeLetters] }],
    [{ environment_scope: ' ' }, { environment_scope: ["can't be blank"] }],
    [{ environment_scope: 'a,b' }, { environment_scope: [scopeLetters] }],
    [{ environment_scope: 'a'.repeat(256) }, { environment_scope: [long] }],
    [{ description: '🔑'.repeat(256) }, { description: [long] }],
  ] as const) {
    const sent = { key: 'WRONG', value: 'x', ...params };
    const { status, body } = await project.owner.post(`${project.at}/variables`, sent);
    assert.deepEqual([status, body], [400, { message }], JSON.stringify(params).slice(0, 60));
  }
  const { body } = await project.owner.post(`${project.at}/variables`, { variable_type: 'secret' });
  const missing = 'key is missing, value is missing';
  assert.deepEqual(body, { error: `${missing}, variable_type does not have a valid value` });
  assert.equal((await project.owner.get(`${project.at}/variables/WRONG`)).status, 404);
});

test('accepts values at the limits', async () => {
  for (const [at, params] of [
    { value: '' },
    { value: 'é'.repeat(10_000) },
    { value: 'x'.repeat(50_000), variable_type: 'file' },
    { value: 'azAZ09_+=/@:.~-', masked: true },
    { value: '(p)$"w\'\u00e9!', masked: true, raw: true },
    { environment_scope: `a b/$\{X}-_.*` },
    { description: '🔑'.repeat(255) },
    { variable_type: null, protected: null, environment_scope: null, description: null },
  ].entries()) {
    const sent = { key: `FINE_${at}`, value: 'x', ...params };
    const { status, body } = await project.owner.post(`${project.at}/variables`, sent);
    assert.equal(status, 201, JSON.stringify([params, body]).slice(0, 200));
    if (sent.value !== 'x') assert.equal(body.value, sent.value);
  }
});

test('a key may be there once for each scope, by whatever race', async () => {
  const params = { key: 'ONCE', value: 'x' };
  const taken = [400, { message: { key: ['(ONCE) has already been taken'] } }];
  for (const [at, by] of PLACES) {
    const answers = await Promise.all([1, 2, 3].map(() => by.post(`${at}/variables`, params)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400]);
    const { status, body } = await by.post(`${at}/variables`, { ...params, environment_scope: '*' });
    assert.deepEqual([status, body], taken);
    const other = await by.post(`${at}/variables`, { ...params, environment_scope: 'production' });
    assert.equal(other.status, at === INSTANCE ? 400 : 201, 'the instance has no scopes');
    assert.equal((await by.post(`${at}/variables`, { ...params, key: 'Once' })).status, 201);
  }
});

test('limits the number of variables', async () => {
  const [full, fullGroup] = [await here.newProject(), await here.newGroup()];
  const fill = (owner: object, count: number) =>
    server.services.database.transaction(async (tx) => {
      const { now } = tx;
      const flags = { protected: false, masked: false, hidden: false, raw: false, description: null };
      const rest = { encrypted_value: 'x', variable_type: 'env_var', environment_scope: '*', ...flags } as const;
      const rows = Array.from({ length: count }, (_, at) => ({
        ...{ project_id: null, group_id: null, ...owner, key: `K${at}`, ...rest },
        created_at: now,
        updated_at: now,
      }));
      for (let at = 0; at < count; at += 1000) {
        await tx
          .insertInto('ci_variables')
          .values(rows.slice(at, at + 1000))
          .execute();
      }
    });
  for (const { key } of (await root.get(`${INSTANCE}/variables`)).body)
    await root.delete(`${INSTANCE}/variables/${key}`);
  for (const [owner, most, at, by, all] of [
    [{ project_id: full.id }, 8000, full.at, full.owner, 'project ci variables'],
    [{ group_id: fullGroup.id }, 30_000, fullGroup.at, fullGroup.owner, 'group ci variables'],
    [{}, 25, INSTANCE, root, 'ci instance level variables'],
  ] as const) {
    await fill(owner, most - 1);
    const createVariable = (key: string) => by.post(`${at}/variables`, { key, value: 'x' });
    assert.equal((await createVariable('LAST')).status, 201);
    const message = { base: [`Maximum number of ${all} (${most}) exceeded`] };
    const { status, body } = await createVariable('ONE_TOO_MANY');
    assert.deepEqual([status, body], [400, { message }]);
  }
});

test('masks a hidden variable and never shows its value again', async () => {
  for (const [at, by] of PLACES.slice(0, 2)) {
    const params = { key: 'HIDDEN', value: 'nobody-reads-me', masked_and_hidden: true, masked: false };
    const { status, body } = await by.post(`${at}/variables`, params);
    assert.deepEqual([status, body.value, body.hidden, body.masked], [201, null, true, true]);
    for (const path of ['/HIDDEN', '']) assert.ok(!(await by.get(`${at}/variables${path}`)).text.includes('nobody'));
  }
});

test('applies group variables to every environment on tier free', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  const [poor, own] = [await free.newGroup(), await free.newProject()];
  const params = { key: 'A', value: 'x', environment_scope: 'production, or so' };
  const made = await poor.owner.post(`${poor.at}/variables`, params);
  assert.deepEqual([made.status, made.body.environment_scope], [201, '*']);
  const changed = await poor.owner.put(`${poor.at}/variables/A`, { environment_scope: 'production' });
  assert.deepEqual([changed.status, changed.body.environment_scope], [200, '*']);
  const scoped = { ...params, environment_scope: 'production' };
  assert.equal(
    (await expectSuccess(own.owner.post(`${own.at}/variables`, scoped))).body.environment_scope,
    'production',
  );
});
