import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const here = await world({ project: { readme: true, with: ['developer', 'maintainer', 'guest'] } });
const { project, owner, developer, maintainer, guest, root, user, newProject } = here;

const at = `${project.at}/pipeline_schedules`;
await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'topic', ref: 'main' }));

// Variables are tested on a schedule in another project with the same members.
const variableProject = await newProject({ owner, readme: true });
await expectSuccess(owner.post(`${variableProject.at}/members`, { user_id: developer.id, access_level: 30 }));
await expectSuccess(owner.post(`${variableProject.at}/members`, { user_id: maintainer.id, access_level: 40 }));
await expectSuccess(owner.post(`${variableProject.repository}/branches`, { branch: 'topic', ref: 'main' }));
const dailySchedule = { description: 'nightly', ref: 'topic', cron: '@daily' };
const variableSchedule = `${variableProject.at}/pipeline_schedules/${(await expectSuccess(developer.post(`${variableProject.at}/pipeline_schedules`, dailySchedule))).body.id}`;
const variables = `${variableSchedule}/variables`;

async function newSchedule(params: object = {}, caller = developer) {
  const input = { description: 'nightly', ref: 'topic', cron: '0 1 * * 5', ...params };
  const { body } = await expectSuccess(caller.post(at, input));
  return { ...body, at: `${at}/${body.id}`, remove: () => owner.delete(`${at}/${body.id}`) };
}

test('its owner and administrators update a schedule; a Maintainer must take ownership first', async () => {
  const { at: schedule, remove } = await newSchedule();
  assert.equal((await maintainer.put(schedule, { description: 'mine' })).status, 403);
  assert.equal((await developer.put(schedule, { description: 'ours' })).body.description, 'ours');
  assert.equal((await root.put(schedule, { description: 'theirs' })).body.description, 'theirs');
  const taken = await maintainer.post(`${schedule}/take_ownership`);
  assert.deepEqual([taken.status, taken.body.owner.id], [201, maintainer.id]);
  assert.equal((await maintainer.post(`${schedule}/take_ownership`)).status, 200);
  assert.equal((await maintainer.put(schedule, { description: 'mine' })).status, 200);
  assert.equal((await developer.put(schedule, { description: 'ours' })).status, 403);
  assert.equal((await developer.post(`${schedule}/take_ownership`)).status, 403);
  await remove();
});

test('recalculates the next run when the times change or the schedule becomes active', async () => {
  const { at: schedule, next_run_at, updated_at, remove } = await newSchedule();
  here.clock.advance(7 * 86_400);
  const put = async (params: Readonly<Record<string, unknown>>) =>
    (await expectSuccess(developer.put(schedule, params))).body;
  assert.equal((await put({})).updated_at, updated_at);
  assert.equal((await put({ description: 'x', active: false })).next_run_at, next_run_at);
  assert.equal((await put({ active: true })).next_run_at, '2026-01-16T01:00:00.000Z');
  assert.equal((await put({ cron_timezone: 'Tokyo' })).next_run_at, '2026-01-15T16:00:00.000Z');
  const daily = await put({ cron: '@daily', ref: 'refs/heads/topic' });
  assert.deepEqual([daily.cron, daily.next_run_at], ['@daily', '2026-01-09T15:00:00.000Z']);
  await remove();
});

test('returns 400 with errors by field and changes nothing', async () => {
  const { at: schedule, updated_at, remove } = await newSchedule();
  for (const [params, message] of [
    [{ cron: '' }, { cron: ['syntax is invalid'] }],
    [
      { ref: 'nowhere', description: '' },
      { ref: ['is ambiguous'], description: ["can't be blank"] },
    ],
    [{ ref: 'main' }, { base: ['The current user is not authorized to update the pipeline schedule'] }],
  ] as const) {
    const { status, body } = await developer.put(schedule, params);
    assert.deepEqual([status, body], [400, { message }]);
  }
  assert.equal((await developer.get(schedule)).body.updated_at, updated_at);
  await remove();
});

test('Maintainers delete a schedule, and its owner while they are a Developer', async () => {
  const first = await newSchedule();
  const second = await newSchedule();
  assert.equal((await maintainer.delete(first.at)).status, 204);
  await expectSuccess(owner.put(`${project.at}/members/${developer.id}`, { access_level: 20 }));
  assert.equal((await developer.delete(second.at)).status, 403);
  assert.equal((await developer.put(second.at, { active: false })).status, 403);
  await expectSuccess(owner.put(`${project.at}/members/${developer.id}`, { access_level: 30 }));
  assert.equal((await developer.delete(second.at)).status, 204);
});

test('lists schedules to callers who can read pipelines, without variables', async () => {
  const active = await newSchedule();
  const inactive = await newSchedule({ active: false });
  const ids = async (query: string) => (await guest.get(`${at}${query}`)).body.map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids(''), [active.id, inactive.id]);
  assert.deepEqual(await ids('?scope=active'), [active.id]);
  assert.deepEqual(await ids('?scope=inactive'), [inactive.id]);
  const [listed] = (await guest.get(at)).body;
  assert.ok(!('variables' in listed) && !('last_pipeline' in listed));
  assert.deepEqual((await guest.get(`${at}?scope=x`)).body, { error: 'scope does not have a valid value' });
  await active.remove();
  await inactive.remove();
});

test('shows variables to Maintainers and the owner; returns 404 to callers who cannot read pipelines', async () => {
  const schedule = await newSchedule();
  const canReadVariables = async (caller: typeof guest) => 'variables' in (await caller.get(schedule.at)).body;
  assert.deepEqual(
    [await canReadVariables(developer), await canReadVariables(maintainer), await canReadVariables(guest)],
    [true, true, false],
  );
  const notFound = { message: '404 Pipeline Schedule Not Found' };
  assert.deepEqual((await owner.get(`${at}/999999`)).body, notFound);
  await expectSuccess(owner.put(project.at, { public_jobs: false }));
  for (const call of [guest.get(schedule.at), guest.delete(schedule.at), guest.post(`${schedule.at}/play`)]) {
    const { status, body } = await call;
    assert.deepEqual([status, body], [404, notFound]);
  }
  assert.equal((await guest.get(at)).status, 403);
  assert.equal((await (await user()).get(schedule.at)).body.message, '404 Project Not Found');
  const other = await newProject({ owner });
  assert.deepEqual((await owner.get(`${other.at}/pipeline_schedules/${schedule.id}`)).body, notFound);
  await schedule.remove();
});

test('its owner creates, updates and deletes variables', async () => {
  const created = await developer.post(variables, { key: 'MODE', value: 'full' });
  const MODE = { key: 'MODE', value: 'full', variable_type: 'env_var', raw: false };
  assert.deepEqual([created.status, created.body], [201, MODE]);
  const file = (
    await expectSuccess(developer.post(variables, { key: ' CONFIG ', value: 'a\nb', variable_type: 'file' }))
  ).body;
  assert.deepEqual(file, { key: 'CONFIG', value: 'a\nb', variable_type: 'file', raw: false });
  assert.deepEqual((await developer.get(variableSchedule)).body.variables, [MODE, file]);
  const updated = await developer.put(`${variables}/MODE`, { value: 'some' });
  assert.deepEqual([updated.status, updated.body], [200, { ...MODE, value: 'some' }]);
  assert.deepEqual((await developer.get(`${variables}/MODE`)).body, { ...MODE, value: 'some' });
  const deleted = await developer.delete(`${variables}/MODE`);
  assert.deepEqual([deleted.status, deleted.body], [202, { ...MODE, value: 'some' }]);
  assert.deepEqual((await developer.get(`${variables}/MODE`)).body, {
    message: '404 Pipeline Schedule Variable Not Found',
  });
  assert.deepEqual((await developer.get(variableSchedule)).body.variables, [file]);
  await expectSuccess(developer.delete(`${variables}/CONFIG`));
});

test('rejects a duplicate key, and invalid variables with errors by field', async () => {
  await expectSuccess(developer.post(variables, { key: 'ONCE', value: '1' }));
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
  await expectSuccess(developer.delete(`${variables}/ONCE`));
});

test('a Maintainer reads and deletes variables; changes also require the right to set pipeline variables', async () => {
  await expectSuccess(developer.post(variables, { key: 'MODE', value: 'full' }));
  assert.equal((await maintainer.post(variables, { key: 'OTHER', value: '' })).status, 403);
  assert.equal((await maintainer.put(`${variables}/MODE`, { value: '' })).status, 403);
  assert.equal((await maintainer.get(`${variables}/MODE`)).body.value, 'full');
  await expectSuccess(owner.put(variableProject.at, { ci_pipeline_variables_minimum_override_role: 'owner' }));
  for (const caller of [developer, maintainer]) {
    assert.equal((await caller.post(variables, { key: 'OTHER', value: '' })).status, 403);
    assert.equal((await caller.put(`${variables}/MODE`, { value: '' })).status, 403);
    assert.equal((await caller.delete(`${variables}/MODE`)).status, 403);
    assert.equal((await caller.get(`${variables}/MODE`)).status, 200);
  }
  await expectSuccess(owner.put(variableProject.at, { ci_pipeline_variables_minimum_override_role: 'developer' }));
  assert.equal((await maintainer.delete(`${variables}/MODE`)).status, 202);
});

test('stores values encrypted', async () => {
  await expectSuccess(developer.post(variables, { key: 'SECRET', value: 'lamp-velvet-octopus' }));
  const rows = await here.server.services.database.reader
    .selectFrom('pipeline_schedule_variables')
    .selectAll()
    .execute();
  assert.ok(rows.length > 0 && !JSON.stringify(rows).includes('lamp'));
});

test('limits a schedule to 200 variables', async () => {
  await here.server.services.database.transaction((tx) => {
    const row = {
      schedule_id: Number(variableSchedule.split('/').at(-1)),
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
