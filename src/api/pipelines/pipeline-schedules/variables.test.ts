import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, world } from '../../../../test/world.ts';

const here = await world({ project: { readme: true, with: ['developer', 'maintainer'] } });
const { project, owner, developer, maintainer, server } = here;

await done(owner.post(`${project.repository}/branches`, { branch: 'topic', ref: 'main' }));
const wish = { description: 'nightly', ref: 'topic', cron: '@daily' };
const { id } = (await done(developer.post(`${project.at}/pipeline_schedules`, wish))).body;
const schedule = `${project.at}/pipeline_schedules/${id}`;
const at = `${schedule}/variables`;

test('its owner gives it variables, changes them and takes them away', async () => {
  const first = await developer.post(at, { key: 'MODE', value: 'full' });
  const MODE = { key: 'MODE', value: 'full', variable_type: 'env_var', raw: false };
  assert.deepEqual([first.status, first.body], [201, MODE]);
  const file = (await done(developer.post(at, { key: ' CONFIG ', value: 'a\nb', variable_type: 'file' }))).body;
  assert.deepEqual(file, { key: 'CONFIG', value: 'a\nb', variable_type: 'file', raw: false });
  assert.deepEqual((await developer.get(schedule)).body.variables, [MODE, file]);
  const changed = await developer.put(`${at}/MODE`, { value: 'some' });
  assert.deepEqual([changed.status, changed.body], [200, { ...MODE, value: 'some' }]);
  assert.deepEqual((await developer.get(`${at}/MODE`)).body, { ...MODE, value: 'some' });
  const gone = await developer.delete(`${at}/MODE`);
  assert.deepEqual([gone.status, gone.body], [202, { ...MODE, value: 'some' }]);
  assert.deepEqual((await developer.get(`${at}/MODE`)).body, { message: '404 Pipeline Schedule Variable Not Found' });
  assert.deepEqual((await developer.get(schedule)).body.variables, [file]);
  await done(developer.delete(`${at}/CONFIG`));
});

test('a key is there once, and what is wrong with a variable is told by field', async () => {
  await done(developer.post(at, { key: 'ONCE', value: '1' }));
  for (const [params, message] of [
    [{ key: 'ONCE', value: '2' }, { key: ['has already been taken'] }],
    [{ key: 'A-B', value: '' }, { key: ["can contain only letters, digits and '_'."] }],
    [
      { key: 'LONG', value: 'x'.repeat(10_001) },
      { value: ['The value of the provided variable exceeds the 10000 character limit'] },
    ],
  ] as const) {
    const { status, body } = await developer.post(at, params);
    assert.deepEqual([status, body], [400, { message }]);
  }
  assert.deepEqual((await developer.post(at, {})).body, { error: 'key is missing, value is missing' });
  await done(developer.delete(`${at}/ONCE`));
});

test('a Maintainer reads and deletes them; setting takes the right to set pipeline variables besides', async () => {
  await done(developer.post(at, { key: 'MODE', value: 'full' }));
  assert.equal((await maintainer.post(at, { key: 'OTHER', value: '' })).status, 403);
  assert.equal((await maintainer.put(`${at}/MODE`, { value: '' })).status, 403);
  assert.equal((await maintainer.get(`${at}/MODE`)).body.value, 'full');
  await done(owner.put(project.at, { ci_pipeline_variables_minimum_override_role: 'owner' }));
  for (const by of [developer, maintainer]) {
    assert.equal((await by.post(at, { key: 'OTHER', value: '' })).status, 403);
    assert.equal((await by.put(`${at}/MODE`, { value: '' })).status, 403);
    assert.equal((await by.delete(`${at}/MODE`)).status, 403);
    assert.equal((await by.get(`${at}/MODE`)).status, 200);
  }
  await done(owner.put(project.at, { ci_pipeline_variables_minimum_override_role: 'developer' }));
  assert.equal((await maintainer.delete(`${at}/MODE`)).status, 202);
});

test('what is stored of a value is no text that it could be read from', async () => {
  await done(developer.post(at, { key: 'SECRET', value: 'lamp-velvet-octopus' }));
  const rows = await server.rooms.database.reader.selectFrom('pipeline_schedule_variables').selectAll().execute();
  assert.ok(rows.length > 0 && !JSON.stringify(rows).includes('lamp'));
});

test('a schedule has 200 variables at most', async () => {
  await server.rooms.database.transaction((tx) => {
    const row = { schedule_id: id, value: '', variable_type: 'env_var' as const, raw: false };
    const rows = Array.from({ length: 199 }, (_, at) => ({ ...row, key: `KEY_${at}` }));
    return tx.insertInto('pipeline_schedule_variables').values(rows).execute();
  });
  const { status, body } = await developer.post(at, { key: 'MORE', value: '' });
  const message = { base: ['Maximum number of ci pipeline schedule variables (200) exceeded'] };
  assert.deepEqual([status, body], [400, { message }]);
});
