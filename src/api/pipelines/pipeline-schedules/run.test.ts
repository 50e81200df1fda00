import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { jobRun } from '#test/support/job-run.ts';
import { done, type Project, world } from '#test/support/world.ts';
import { startDueSchedules } from './run.ts';
import { selectDueSchedules } from './store.ts';

const here = await world();
const { clock, work, newProject, server, root, anonymous } = here;

const FILE = 'J: {script: a, rules: [{if: $MODE != "none"}]}';

/** A project with a CI file, and a schedule of its Developer that is due at every full hour. */
async function scheduled({ file = FILE, cron = '0 * * * *' } = {}) {
  const project = await newProject({ readme: true, with: ['developer'] });
  const { owner, developer, at, repository } = project;
  await project.commit({ '.gitlab-ci.yml': file }, { message: 'Say what runs [skip ci]' });
  await done(owner.post(`${repository}/branches`, { branch: 'topic', ref: 'main' }));
  await done(owner.put(at, { builds_access_level: 'enabled' }));
  await work();
  const wish = { description: 'hourly', ref: 'topic', cron };
  const { id } = (await done(developer.post(`${at}/pipeline_schedules`, wish))).body;
  const one = `${at}/pipeline_schedules/${id}`;
  const read = async () => (await done(owner.get(one))).body;
  const pipelines = async () => (await done(owner.get(`${one}/pipelines`))).body;
  return { project, owner, developer, one, read, pipelines };
}

async function hoursLater(hours: number) {
  clock.advance(hours * 3600);
  await work();
}

test('at its moment a schedule makes a pipeline of its owner, and the next moment is set', async () => {
  const { project, developer, owner, one, read, pipelines } = await scheduled();
  await done(developer.post(`${one}/variables`, { key: 'MODE', value: 'full' }));
  await hoursLater(1);
  const [pipeline, ...others] = await pipelines();
  assert.deepEqual(others, []);
  const { body } = await owner.get(`${project.at}/pipelines/${pipeline.id}`);
  assert.deepEqual([body.source, body.user.id, body.ref, body.status], ['schedule', developer.id, 'topic', 'pending']);
  const { last_pipeline, next_run_at } = await read();
  assert.equal(last_pipeline.id, pipeline.id);
  assert.equal(Date.parse(next_run_at) - (clock.now().getTime() - (clock.now().getTime() % 3_600_000)), 3_600_000);
  const variables = (await owner.get(`${project.at}/pipelines/${pipeline.id}/variables`)).body;
  assert.deepEqual(variables, [{ key: 'MODE', value: 'full', variable_type: 'env_var', raw: false }]);
  const runner = await here.newRunner({ in: project });
  const job = (await done(anonymous.post('/jobs/request', { token: runner.token }))).body;
  const said = job.variables.find(({ key }: { key: string }) => key === 'CI_PIPELINE_SCHEDULE_DESCRIPTION');
  assert.equal(said.value, 'hourly');
});

test('of all moments while nobody was there one pipeline is made, and its list is in order', async () => {
  const { pipelines, one, owner } = await scheduled();
  await hoursLater(30);
  assert.equal((await pipelines()).length, 1);
  await hoursLater(1);
  const ids = (await pipelines()).map(({ id }: { id: number }) => id);
  assert.equal(ids.length, 2);
  assert.ok(ids[0] < ids[1]);
  const { body } = await owner.get(`${one}/pipelines?sort=desc&scope=branches`);
  assert.deepEqual(body.length, 1);
  const { body: all } = await owner.get(`${one}/pipelines?sort=desc`);
  assert.deepEqual(
    all.map(({ id }: { id: number }) => id),
    ids.toReversed(),
  );
});

test('processes that look at once start it once, and a run that is repeated makes nothing', async () => {
  const { pipelines } = await scheduled();
  clock.advance(3600);
  const look = () => startDueSchedules.handle(server.services, {}, jobRun());
  await Promise.all([look(), look(), look()]);
  const found = server.services.database.reader.selectFrom('background_jobs').selectAll();
  const runs = await found.where('kind', '=', 'run-pipeline-schedule').where('state', '=', 'pending').execute();
  const ours = runs.filter(({ payload }) => JSON.parse(payload).scheduleId);
  assert.equal(new Set(ours.map(({ payload }) => payload)).size, ours.length);
  await server.services.database.transaction((tx) =>
    tx
      .insertInto('background_jobs')
      .values(ours.map(({ kind, payload, run_at, created_at }) => ({ kind, payload, run_at, created_at, key: null })))
      .execute(),
  );
  await work();
  assert.equal((await pipelines()).length, 1);
});

test('of an owner who may start no pipelines any more a schedule becomes inactive', async () => {
  const { project, owner } = await scheduled();
  const at = `${project.at}/pipeline_schedules`;
  const wish = { description: 'hourly', ref: 'other', cron: '0 * * * *' };
  await done(owner.post(`${project.repository}/branches`, { branch: 'other', ref: 'main' }));
  await done(owner.post(`${project.repository}/branches`, { branch: 'kept', ref: 'main' }));
  const member = ({ id }: { readonly id: number }) => `${project.at}/members/${id}`;
  for (const [what, lose, ref = 'kept'] of [
    ['is blocked', (by: Caller) => root.post(`/users/${by.id}/block`)],
    ['is no member', (by: Caller) => owner.delete(member(by))],
    ['may only read', (by: Caller) => owner.put(member(by), { access_level: 20 })],
    ['may not push', () => owner.post(`${project.at}/protected_branches`, { name: 'other' }), 'other'],
  ] as const) {
    const by = await project.add('developer');
    const { id } = (await done(by.post(at, { ...wish, ref }))).body;
    await done(lose(by));
    assert.equal((await owner.get(`${at}/${id}`)).body.active, true, what);
    await hoursLater(1);
    const { active, last_pipeline } = (await owner.get(`${at}/${id}`)).body;
    assert.deepEqual([active, last_pipeline], [false, null], what);
  }
});

type Caller = Project['owner'];

test("of a deleted owner a schedule is nobody's, and inactive", async () => {
  const { developer, read, pipelines } = await scheduled();
  await done(root.delete(`/users/${developer.id}`));
  await hoursLater(1);
  const { active, owner } = await read();
  assert.deepEqual([active, owner, await pipelines()], [false, null, []]);
});

test('while the project is archived, or runs no pipelines, a schedule is skipped', async () => {
  const { project, owner, read, pipelines } = await scheduled();
  await done(owner.post(`${project.at}/archive`));
  await hoursLater(1);
  await done(owner.post(`${project.at}/unarchive`));
  await done(owner.put(project.at, { builds_access_level: 'disabled' }));
  await hoursLater(1);
  await done(owner.put(project.at, { builds_access_level: 'enabled' }));
  assert.deepEqual([(await read()).active, await pipelines()], [true, []]);
  await hoursLater(1);
  assert.equal((await pipelines()).length, 1);
});

test('an inactive schedule makes none', async () => {
  const { developer, one, pipelines } = await scheduled();
  await done(developer.put(one, { active: false }));
  await hoursLater(2);
  assert.deepEqual(await pipelines(), []);
});

test('of a broken file there is a failed pipeline, and where there is nothing to run none', async () => {
  const broken = await scheduled({ file: 'J: {stage: x, script: a}' });
  const empty = await scheduled({ file: 'J: {script: a, rules: [{if: $NO}]}' });
  await hoursLater(1);
  const [pipeline] = await broken.pipelines();
  assert.equal(pipeline.status, 'failed');
  assert.deepEqual(await empty.pipelines(), []);
  assert.deepEqual([(await broken.read()).active, (await empty.read()).active], [true, true]);
});

test('played, it makes one in the background as whoever asks, whatever its times', async () => {
  const { project, owner, developer, one, pipelines } = await scheduled();
  await done(developer.put(one, { active: false }));
  const { status, body } = await owner.post(`${one}/play`);
  assert.deepEqual([status, body], [201, { message: '201 Created' }]);
  await work();
  const [pipeline] = await pipelines();
  const { user, source } = (await owner.get(`${project.at}/pipelines/${pipeline.id}`)).body;
  assert.deepEqual([user.id, source], [owner.id, 'schedule']);
  await done(owner.post(`${project.at}/protected_branches`, { name: 'topic' }));
  assert.equal((await developer.post(`${one}/play`)).status, 403);
});

test('its pipelines stay when it is deleted', async () => {
  const { project, owner, one } = await scheduled();
  await hoursLater(1);
  await done(owner.delete(one));
  const { body } = await owner.get(`${project.at}/pipelines?source=schedule`);
  assert.equal(body.length, 1);
});

test('what is due is found by its moment, however many schedules wait', async () => {
  await using database = await testDatabase();
  const due = (tx: Parameters<typeof explainPlan>[0]) =>
    explainPlan(tx, selectDueSchedules(tx, '2026-01-02T03:04:05.000Z', 50));
  const plan = (await database.transaction(due)).join('\n');
  assert.match(plan, /pipeline_schedules_due/);
  assert.doesNotMatch(plan, /SCAN|Seq Scan|TEMP B-TREE/);
});
