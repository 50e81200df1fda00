import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJobForRunnerRow } from '#domain/runners/runner-scope.ts';
import { insertJobRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Which jobs a runner may take (contract/runners.md §7).

const here = await world();
const { anonymous, root } = here;
const { database } = here.server.services;

type RunnerInput = Parameters<typeof runnerRow>[1];

/** Requests a job as a new runner while only this job is pending. Deletes the job afterwards. */
async function offer(
  runner: RunnerInput,
  project: Parameters<typeof insertJobRow>[1],
  job: Parameters<typeof insertJobRow>[2],
) {
  const id = await insertJobRow(here, project, job);
  const { id: runnerId, token } = await runnerRow(here, runner);
  const matches = await matchesRunnerRow(id, runnerId);
  const { status, body } = await anonymous.post('/jobs/request', { token });
  await database.transaction((tx) => tx.deleteFrom('jobs').where('id', '=', id).execute());
  assert.ok(status === 204 || body.id === id);
  return { taken: status === 201, matches };
}

/** Returns whether the job matches the runner by the SQL rule for runner rows. */
async function matchesRunnerRow(jobId: number, runnerId: number): Promise<boolean> {
  const query = database.reader
    .selectFrom('jobs')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .innerJoin('runners', (join) => join.onTrue())
    .select('runners.id')
    .where('jobs.id', '=', jobId)
    .where('runners.id', '=', runnerId);
  return (await query.where(isJobForRunnerRow()).executeTakeFirst()) !== undefined;
}

/** Returns whether the runner gets the job. Both forms of the rule must agree. */
async function takes(...[runner, project, job]: Parameters<typeof offer>): Promise<boolean> {
  const { taken, matches } = await offer(runner, project, job);
  assert.equal(matches, taken, JSON.stringify([runner, job]));
  return taken;
}

test('matches runners and jobs by tags, untagged jobs and protected refs', async () => {
  const project = await here.newProject({ readme: true });
  const projects = [project.id];
  for (const [runner, job, expected] of [
    [{}, {}, true],
    [{ run_untagged: false, tags: ['a'] }, {}, false],
    [{ tags: ['a', 'b'] }, {}, true],
    [{ tags: ['a', 'b'] }, { tags: ['a'] }, true],
    [{ tags: ['a', 'b'] }, { tags: ['a', 'b'] }, true],
    [{ tags: ['a'] }, { tags: ['a', 'b'] }, false],
    [{ tags: ['A'] }, { tags: ['a'] }, false],
    [{}, { tags: ['a'] }, false],
    [{ run_untagged: false, tags: ['a'] }, { tags: ['a'] }, true],
    [{ access_level: 'ref_protected' }, {}, false],
    [{ access_level: 'ref_protected' }, { protected: true }, true],
    [{ access_level: 'not_protected' }, { protected: true }, true],
    [{ locked: true }, {}, true],
  ] as const) {
    assert.equal(await takes({ projects, ...runner }, project, job), expected, JSON.stringify([runner, job]));
  }
});

test('a project runner takes jobs of its projects only', async () => {
  const [own, other] = [await here.newProject({ readme: true }), await here.newProject({ readme: true })];
  assert.equal(await takes({ projects: [own.id] }, other, {}), false);
  assert.equal(await takes({ projects: [own.id, other.id] }, other, {}), true);
});

test('a group runner takes jobs of projects below its group, unless the project disables group runners', async () => {
  const outer = await here.newGroup();
  const inner = await here.newGroup({ in: outer });
  const project = await here.newProject({ in: inner, owner: outer.owner, readme: true });
  const groupRunner = (group_id: number) => ({ runner_type: 'group_type', group_id }) as const;
  assert.equal(await takes(groupRunner(inner.id), project, {}), true);
  assert.equal(await takes(groupRunner(outer.id), project, {}), true);
  assert.equal(await takes(groupRunner((await here.newGroup()).id), project, {}), false);
  await expectSuccess(project.owner.put(project.at, { group_runners_enabled: false }));
  assert.equal(await takes(groupRunner(inner.id), project, {}), false);
});

test('an instance runner takes jobs of projects that enable instance runners, unless an ancestor group forbids it', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group, owner: group.owner, readme: true });
  const instanceRunner = {};
  assert.equal(await takes(instanceRunner, project, {}), true);
  await expectSuccess(project.owner.put(project.at, { shared_runners_enabled: false }));
  assert.equal(await takes(instanceRunner, project, {}), false);
  await expectSuccess(project.owner.put(project.at, { shared_runners_enabled: true }));
  await expectSuccess(group.owner.put(group.at, { shared_runners_setting: 'disabled_and_unoverridable' }));
  assert.equal(await takes(instanceRunner, project, {}), false);
});

test('assigns no jobs of a project with disabled builds or marked for deletion', async () => {
  const project = await here.newProject({ readme: true });
  await expectSuccess(root.put(project.at, { builds_access_level: 'disabled' }));
  assert.equal((await offer({ projects: [project.id] }, project, {})).taken, false);
  await expectSuccess(root.put(project.at, { builds_access_level: 'enabled' }));
  await expectSuccess(project.owner.delete(project.at));
  assert.equal((await offer({ projects: [project.id] }, project, {})).taken, false);
});

test('instance runners prefer the project with the fewest running jobs on them', async () => {
  const [busy, idle] = [await here.newProject({ readme: true }), await here.newProject({ readme: true })];
  const runner = await runnerRow(here, { tags: ['fair'], run_untagged: false });
  await insertJobRow(here, busy, { status: 'running', runner_id: runner.id });
  const first = await insertJobRow(here, busy, { tags: ['fair'] });
  const second = await insertJobRow(here, idle, { tags: ['fair'] });
  const requestNext = async () => (await anonymous.post('/jobs/request', { token: runner.token })).body;
  const next = await requestNext();
  assert.equal(next.id, second);
  assert.equal(next.job_info.project_jobs_running_on_instance_runners_count, '1');
  assert.equal((await requestNext()).id, first);
});
