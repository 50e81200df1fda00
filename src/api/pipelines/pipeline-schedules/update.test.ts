import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, world } from '#test/support/world.ts';

const here = await world({ project: { readme: true, with: ['developer', 'maintainer', 'guest'] } });
const { project, owner, developer, maintainer, guest, root, user, newProject } = here;

const at = `${project.at}/pipeline_schedules`;
await done(owner.post(`${project.repository}/branches`, { branch: 'topic', ref: 'main' }));

// What a schedule gives to its pipelines: of one in a place of its own, of the same people.
const place = await newProject({ owner, readme: true });
await done(owner.post(`${place.at}/members`, { user_id: developer.id, access_level: 30 }));
await done(owner.post(`${place.at}/members`, { user_id: maintainer.id, access_level: 40 }));
await done(owner.post(`${place.repository}/branches`, { branch: 'topic', ref: 'main' }));
const wish = { description: 'nightly', ref: 'topic', cron: '@daily' };
const one = `${place.at}/pipeline_schedules/${(await done(developer.post(`${place.at}/pipeline_schedules`, wish))).body.id}`;
const variables = `${one}/variables`;

async function made(params: object = {}, by = developer) {
  const wish = { description: 'nightly', ref: 'topic', cron: '0 1 * * 5', ...params };
  const { body } = await done(by.post(at, wish));
  return { ...body, at: `${at}/${body.id}`, end: () => owner.delete(`${at}/${body.id}`) };
}

test('its owner and administrators change one; a Maintainer takes it over first', async () => {
  const { at: one, end } = await made();
  assert.equal((await maintainer.put(one, { description: 'mine' })).status, 403);
  assert.equal((await developer.put(one, { description: 'ours' })).body.description, 'ours');
  assert.equal((await root.put(one, { description: 'theirs' })).body.description, 'theirs');
  const taken = await maintainer.post(`${one}/take_ownership`);
  assert.deepEqual([taken.status, taken.body.owner.id], [201, maintainer.id]);
  assert.equal((await maintainer.post(`${one}/take_ownership`)).status, 200);
  assert.equal((await maintainer.put(one, { description: 'mine' })).status, 200);
  assert.equal((await developer.put(one, { description: 'ours' })).status, 403);
  assert.equal((await developer.post(`${one}/take_ownership`)).status, 403);
  await end();
});

test('its next moment changes with its times, and when it becomes active again', async () => {
  const { at: one, next_run_at, updated_at, end } = await made();
  here.clock.advance(7 * 86_400);
  const put = async (params: Readonly<Record<string, unknown>>) => (await done(developer.put(one, params))).body;
  assert.equal((await put({})).updated_at, updated_at);
  assert.equal((await put({ description: 'x', active: false })).next_run_at, next_run_at);
  assert.equal((await put({ active: true })).next_run_at, '2026-01-16T01:00:00.000Z');
  assert.equal((await put({ cron_timezone: 'Tokyo' })).next_run_at, '2026-01-15T16:00:00.000Z');
  const daily = await put({ cron: '@daily', ref: 'refs/heads/topic' });
  assert.deepEqual([daily.cron, daily.next_run_at], ['@daily', '2026-01-09T15:00:00.000Z']);
  await end();
});

test('what is wrong with a change is told as at the beginning, and nothing changes', async () => {
  const { at: one, updated_at, end } = await made();
  for (const [params, message] of [
    [{ cron: '' }, { cron: ['syntax is invalid'] }],
    [
      { ref: 'nowhere', description: '' },
      { ref: ['is ambiguous'], description: ["can't be blank"] },
    ],
    [{ ref: 'main' }, { base: ['The current user is not authorized to update the pipeline schedule'] }],
  ] as const) {
    const { status, body } = await developer.put(one, params);
    assert.deepEqual([status, body], [400, { message }]);
  }
  assert.equal((await developer.get(one)).body.updated_at, updated_at);
  await end();
});

test('Maintainers delete one, and its owner while he is a Developer', async () => {
  const first = await made();
  const second = await made();
  assert.equal((await maintainer.delete(first.at)).status, 204);
  await done(owner.put(`${project.at}/members/${developer.id}`, { access_level: 20 }));
  assert.equal((await developer.delete(second.at)).status, 403);
  assert.equal((await developer.put(second.at, { active: false })).status, 403);
  await done(owner.put(`${project.at}/members/${developer.id}`, { access_level: 30 }));
  assert.equal((await developer.delete(second.at)).status, 204);
});

test('whoever may read pipelines lists them, without what they give to pipelines', async () => {
  const on = await made();
  const off = await made({ active: false });
  const ids = async (query: string) => (await guest.get(`${at}${query}`)).body.map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids(''), [on.id, off.id]);
  assert.deepEqual(await ids('?scope=active'), [on.id]);
  assert.deepEqual(await ids('?scope=inactive'), [off.id]);
  const [listed] = (await guest.get(at)).body;
  assert.ok(!('variables' in listed) && !('last_pipeline' in listed));
  assert.deepEqual((await guest.get(`${at}?scope=x`)).body, { error: 'scope does not have a valid value' });
  await on.end();
  await off.end();
});

test('its variables are for Maintainers and its owner; who may not read pipelines finds no schedule', async () => {
  const one = await made();
  const shows = async (by: typeof guest) => 'variables' in (await by.get(one.at)).body;
  assert.deepEqual([await shows(developer), await shows(maintainer), await shows(guest)], [true, true, false]);
  const notFound = { message: '404 Pipeline Schedule Not Found' };
  assert.deepEqual((await owner.get(`${at}/999999`)).body, notFound);
  await done(owner.put(project.at, { public_jobs: false }));
  for (const call of [guest.get(one.at), guest.delete(one.at), guest.post(`${one.at}/play`)]) {
    const { status, body } = await call;
    assert.deepEqual([status, body], [404, notFound]);
  }
  assert.equal((await guest.get(at)).status, 403);
  assert.equal((await (await user()).get(one.at)).body.message, '404 Project Not Found');
  const other = await newProject({ owner });
  assert.deepEqual((await owner.get(`${other.at}/pipeline_schedules/${one.id}`)).body, notFound);
  await one.end();
});

test('its owner gives it variables, changes them and takes them away', async () => {
  const first = await developer.post(variables, { key: 'MODE', value: 'full' });
  const MODE = { key: 'MODE', value: 'full', variable_type: 'env_var', raw: false };
  assert.deepEqual([first.status, first.body], [201, MODE]);
  const file = (await done(developer.post(variables, { key: ' CONFIG ', value: 'a\nb', variable_type: 'file' }))).body;
  assert.deepEqual(file, { key: 'CONFIG', value: 'a\nb', variable_type: 'file', raw: false });
  assert.deepEqual((await developer.get(one)).body.variables, [MODE, file]);
  const changed = await developer.put(`${variables}/MODE`, { value: 'some' });
  assert.deepEqual([changed.status, changed.body], [200, { ...MODE, value: 'some' }]);
  assert.deepEqual((await developer.get(`${variables}/MODE`)).body, { ...MODE, value: 'some' });
  const gone = await developer.delete(`${variables}/MODE`);
  assert.deepEqual([gone.status, gone.body], [202, { ...MODE, value: 'some' }]);
  assert.deepEqual((await developer.get(`${variables}/MODE`)).body, {
    message: '404 Pipeline Schedule Variable Not Found',
  });
  assert.deepEqual((await developer.get(one)).body.variables, [file]);
  await done(developer.delete(`${variables}/CONFIG`));
});

test('a key is there once, and what is wrong with a variable is told by field', async () => {
  await done(developer.post(variables, { key: 'ONCE', value: '1' }));
  for (const [params, message] of [
    [{ key: 'ONCE', value: '2' }, { key: ['has already been taken'] }],
    [{ key: 'A-B', value: '' }, { key: ["can contain only letters, digits and '_'."] }],
    [
      { key: 'LONG', value: 'x'.repeat(10_001) },
      { value: ['The value of the provided variable exceeds the 10000 character limit'] },
    ],
  ] as const) {
    const { status, body } = await developer.post(variables, params);
    assert.deepEqual([status, body], [400, { message }]);
  }
  assert.deepEqual((await developer.post(variables, {})).body, { error: 'key is missing, value is missing' });
  await done(developer.delete(`${variables}/ONCE`));
});

test('a Maintainer reads and deletes them; setting takes the right to set pipeline variables besides', async () => {
  await done(developer.post(variables, { key: 'MODE', value: 'full' }));
  assert.equal((await maintainer.post(variables, { key: 'OTHER', value: '' })).status, 403);
  assert.equal((await maintainer.put(`${variables}/MODE`, { value: '' })).status, 403);
  assert.equal((await maintainer.get(`${variables}/MODE`)).body.value, 'full');
  await done(owner.put(place.at, { ci_pipeline_variables_minimum_override_role: 'owner' }));
  for (const by of [developer, maintainer]) {
    assert.equal((await by.post(variables, { key: 'OTHER', value: '' })).status, 403);
    assert.equal((await by.put(`${variables}/MODE`, { value: '' })).status, 403);
    assert.equal((await by.delete(`${variables}/MODE`)).status, 403);
    assert.equal((await by.get(`${variables}/MODE`)).status, 200);
  }
  await done(owner.put(place.at, { ci_pipeline_variables_minimum_override_role: 'developer' }));
  assert.equal((await maintainer.delete(`${variables}/MODE`)).status, 202);
});

test('what is stored of a value is no text that it could be read from', async () => {
  await done(developer.post(variables, { key: 'SECRET', value: 'lamp-velvet-octopus' }));
  const rows = await here.server.services.database.reader
    .selectFrom('pipeline_schedule_variables')
    .selectAll()
    .execute();
  assert.ok(rows.length > 0 && !JSON.stringify(rows).includes('lamp'));
});

test('a schedule has 200 variables at most', async () => {
  await here.server.services.database.transaction((tx) => {
    const row = {
      schedule_id: Number(one.split('/').at(-1)),
      value: '',
      variable_type: 'env_var' as const,
      raw: false,
    };
    const rows = Array.from({ length: 199 }, (_, index) => ({ ...row, key: `KEY_${index}` }));
    return tx.insertInto('pipeline_schedule_variables').values(rows).execute();
  });
  const { status, body } = await developer.post(variables, { key: 'MORE', value: '' });
  const message = { base: ['Maximum number of ci pipeline schedule variables (200) exceeded'] };
  assert.deepEqual([status, body], [400, { message }]);
});
