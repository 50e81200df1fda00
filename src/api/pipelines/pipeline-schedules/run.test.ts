import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { jobRun } from '#test/support/job-run.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { startDueSchedules } from './run.ts';
import { selectDueSchedules } from './store.ts';

const here = await world();
const { clock, runJobs, newProject, server, root, anonymous } = here;

const FILE = 'J: {script: a, rules: [{if: $MODE != "none"}]}';

/** Creates a project with a CI file and a schedule of its Developer that is due every full hour. */
async function newScheduledProject({ file = FILE, cron = '0 * * * *' } = {}) {
  const project = await newProject({ readme: true, with: ['developer'] });
  const { owner, developer, at, repository } = project;
  await project.commit({ '.gitlab-ci.yml': file }, { message: 'Add CI file [skip ci]' });
  await expectSuccess(owner.post(`${repository}/branches`, { branch: 'topic', ref: 'main' }));
  await expectSuccess(owner.put(at, { builds_access_level: 'enabled' }));
  await runJobs();
  const input = { description: 'hourly', ref: 'topic', cron };
  const { id } = (await expectSuccess(developer.post(`${at}/pipeline_schedules`, input))).body;
  const schedule = `${at}/pipeline_schedules/${id}`;
  const read = async () => (await expectSuccess(owner.get(schedule))).body;
  const pipelines = async () => (await expectSuccess(owner.get(`${schedule}/pipelines`))).body;
  return { project, owner, developer, schedule, read, pipelines };
}

async function advanceHours(hours: number) {
  clock.advance(hours * 3600);
  await runJobs();
}

test('creates a pipeline of its owner when a schedule is due, and sets the next run', async () => {
  const { project, developer, owner, schedule, read, pipelines } = await newScheduledProject();
  await expectSuccess(developer.post(`${schedule}/variables`, { key: 'MODE', value: 'full' }));
  await advanceHours(1);
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
  const job = (await expectSuccess(anonymous.post('/jobs/request', { token: runner.token }))).body;
  const description = job.variables.find(({ key }: { key: string }) => key === 'CI_PIPELINE_SCHEDULE_DESCRIPTION');
  assert.equal(description.value, 'hourly');
});

test('creates one pipeline for several missed runs, and lists pipelines in order', async () => {
  const { pipelines, schedule, owner } = await newScheduledProject();
  await advanceHours(30);
  assert.equal((await pipelines()).length, 1);
  await advanceHours(1);
  const ids = (await pipelines()).map(({ id }: { id: number }) => id);
  assert.equal(ids.length, 2);
  assert.ok(ids[0] < ids[1]);
  const { body } = await owner.get(`${schedule}/pipelines?sort=desc&scope=branches`);
  assert.deepEqual(body.length, 1);
  const { body: all } = await owner.get(`${schedule}/pipelines?sort=desc`);
  assert.deepEqual(
    all.map(({ id }: { id: number }) => id),
    ids.toReversed(),
  );
});

test('starts a schedule once from concurrent processes, and creates nothing for a repeated run', async () => {
  const { pipelines } = await newScheduledProject();
  clock.advance(3600);
  const startDue = () => startDueSchedules.handle(server.services, {}, jobRun());
  await Promise.all([startDue(), startDue(), startDue()]);
  const jobQuery = server.services.database.reader.selectFrom('background_jobs').selectAll();
  const runs = await jobQuery.where('kind', '=', 'run_pipeline_schedule').where('state', '=', 'pending').execute();
  const scheduleRuns = runs.filter(({ payload }) => JSON.parse(payload).scheduleId);
  assert.equal(new Set(scheduleRuns.map(({ payload }) => payload)).size, scheduleRuns.length);
  await server.services.database.transaction((tx) =>
    tx
      .insertInto('background_jobs')
      .values(
        scheduleRuns.map(({ kind, payload, run_at, created_at }) => ({ kind, payload, run_at, created_at, key: null })),
      )
      .execute(),
  );
  await runJobs();
  assert.equal((await pipelines()).length, 1);
});

test('deactivates a schedule whose owner may no longer run pipelines', async () => {
  const { project, owner } = await newScheduledProject();
  const at = `${project.at}/pipeline_schedules`;
  const input = { description: 'hourly', ref: 'other', cron: '0 * * * *' };
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'other', ref: 'main' }));
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'unprotected', ref: 'main' }));
  const memberPath = ({ id }: { readonly id: number }) => `${project.at}/members/${id}`;
  for (const [reason, revoke, ref = 'unprotected'] of [
    ['is blocked', (member: Caller) => root.post(`/users/${member.id}/block`)],
    ['is no member', (member: Caller) => owner.delete(memberPath(member))],
    ['may only read', (member: Caller) => owner.put(memberPath(member), { access_level: 20 })],
    ['may not push', () => owner.post(`${project.at}/protected_branches`, { name: 'other' }), 'other'],
  ] as const) {
    const member = await project.addMember('developer');
    const { id } = (await expectSuccess(member.post(at, { ...input, ref }))).body;
    await expectSuccess(revoke(member));
    assert.equal((await owner.get(`${at}/${id}`)).body.active, true, reason);
    await advanceHours(1);
    const { active, last_pipeline } = (await owner.get(`${at}/${id}`)).body;
    assert.deepEqual([active, last_pipeline], [false, null], reason);
  }
});

type Caller = Project['owner'];

test('deactivates the schedules of a deleted user and clears their owner', async () => {
  const { developer, read, pipelines } = await newScheduledProject();
  await expectSuccess(root.delete(`/users/${developer.id}`));
  await advanceHours(1);
  const { active, owner } = await read();
  assert.deepEqual([active, owner, await pipelines()], [false, null, []]);
});

test('skips runs while the project is archived or its builds are disabled', async () => {
  const { project, owner, read, pipelines } = await newScheduledProject();
  await expectSuccess(owner.post(`${project.at}/archive`));
  await advanceHours(1);
  await expectSuccess(owner.post(`${project.at}/unarchive`));
  await expectSuccess(owner.put(project.at, { builds_access_level: 'disabled' }));
  await advanceHours(1);
  await expectSuccess(owner.put(project.at, { builds_access_level: 'enabled' }));
  assert.deepEqual([(await read()).active, await pipelines()], [true, []]);
  await advanceHours(1);
  assert.equal((await pipelines()).length, 1);
});

test('creates no pipelines for an inactive schedule', async () => {
  const { developer, schedule, pipelines } = await newScheduledProject();
  await expectSuccess(developer.put(schedule, { active: false }));
  await advanceHours(2);
  assert.deepEqual(await pipelines(), []);
});

test('creates a failed pipeline for an invalid CI file, and none without jobs', async () => {
  const invalid = await newScheduledProject({ file: 'J: {stage: x, script: a}' });
  const empty = await newScheduledProject({ file: 'J: {script: a, rules: [{if: $NO}]}' });
  await advanceHours(1);
  const [pipeline] = await invalid.pipelines();
  assert.equal(pipeline.status, 'failed');
  assert.deepEqual(await empty.pipelines(), []);
  assert.deepEqual([(await invalid.read()).active, (await empty.read()).active], [true, true]);
});

test('plays a schedule in the background as the caller, even if it is inactive', async () => {
  const { project, owner, developer, schedule, pipelines } = await newScheduledProject();
  await expectSuccess(developer.put(schedule, { active: false }));
  const { status, body } = await owner.post(`${schedule}/play`);
  assert.deepEqual([status, body], [201, { message: '201 Created' }]);
  await runJobs();
  const [pipeline] = await pipelines();
  const { user, source } = (await owner.get(`${project.at}/pipelines/${pipeline.id}`)).body;
  assert.deepEqual([user.id, source], [owner.id, 'schedule']);
  await expectSuccess(owner.post(`${project.at}/protected_branches`, { name: 'topic' }));
  assert.equal((await developer.post(`${schedule}/play`)).status, 403);
});

test('keeps the pipelines of a deleted schedule', async () => {
  const { project, owner, schedule } = await newScheduledProject();
  await advanceHours(1);
  await expectSuccess(owner.delete(schedule));
  const { body } = await owner.get(`${project.at}/pipelines?source=schedule`);
  assert.equal(body.length, 1);
});

test('finds due schedules through the index', async () => {
  await using database = await testDatabase();
  const due = (tx: Parameters<typeof explainPlan>[0]) =>
    explainPlan(tx, selectDueSchedules(tx, '2026-01-02T03:04:05.000Z', 50));
  const plan = (await database.transaction(due)).join('\n');
  assert.match(plan, /pipeline_schedules_due/);
  assert.doesNotMatch(plan, /SCAN|Seq Scan|TEMP B-TREE/);
});
