import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJobForRunnerRow } from '#domain/runners/runner-scope.ts';
import { jobRow, runnerRow } from '#test/support/pipeline-rows.ts';
import { done, world } from '#test/support/world.ts';

// Which jobs a runner may take (contract/runners.md §7).

const here = await world();
const { anonymous, root } = here;
const { database } = here.server.services;

type Wish = Parameters<typeof runnerRow>[1];

async function offer(runner: Wish, project: Parameters<typeof jobRow>[1], job: Parameters<typeof jobRow>[2]) {
  const id = await jobRow(here, project, job);
  const { id: runnerId, token } = await runnerRow(here, runner);
  const suits = await suitsRow(id, runnerId);
  const { status, body } = await anonymous.post('/jobs/request', { token });
  await database.transaction((tx) => tx.deleteFrom('jobs').where('id', '=', id).execute());
  assert.ok(status === 204 || body.id === id);
  return { taken: status === 201, suits };
}

/** Does the job suit the runner, by the form of the rule in which runners are rows? */
async function suitsRow(jobId: number, runnerId: number): Promise<boolean> {
  const found = database.reader
    .selectFrom('jobs')
    .innerJoin('projects', 'projects.id', 'jobs.project_id')
    .innerJoin('runners', (join) => join.onTrue())
    .select('runners.id')
    .where('jobs.id', '=', jobId)
    .where('runners.id', '=', runnerId);
  return (await found.where(isJobForRunnerRow()).executeTakeFirst()) !== undefined;
}

/** Is the job given to the runner? Both forms of the rule have to say so, or neither. */
async function takes(...[runner, project, job]: Parameters<typeof offer>): Promise<boolean> {
  const { taken, suits } = await offer(runner, project, job);
  assert.equal(suits, taken, JSON.stringify([runner, job]));
  return taken;
}

test('tags, untagged jobs, protected refs: each pair of runner and job', async () => {
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

test('a project runner serves its projects and no other', async () => {
  const [own, other] = [await here.newProject({ readme: true }), await here.newProject({ readme: true })];
  assert.equal(await takes({ projects: [own.id] }, other, {}), false);
  assert.equal(await takes({ projects: [own.id, other.id] }, other, {}), true);
});

test('a group runner serves what is below its group, unless the project takes none', async () => {
  const outer = await here.newGroup();
  const inner = await here.newGroup({ in: outer });
  const project = await here.newProject({ in: inner, owner: outer.owner, readme: true });
  const of = (group_id: number) => ({ runner_type: 'group_type', group_id }) as const;
  assert.equal(await takes(of(inner.id), project, {}), true);
  assert.equal(await takes(of(outer.id), project, {}), true);
  assert.equal(await takes(of((await here.newGroup()).id), project, {}), false);
  await done(project.owner.put(project.at, { group_runners_enabled: false }));
  assert.equal(await takes(of(inner.id), project, {}), false);
});

test('a runner of the instance serves who wants it, unless a group above forbids it for good', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group, owner: group.owner, readme: true });
  const instance = {};
  assert.equal(await takes(instance, project, {}), true);
  await done(project.owner.put(project.at, { shared_runners_enabled: false }));
  assert.equal(await takes(instance, project, {}), false);
  await done(project.owner.put(project.at, { shared_runners_enabled: true }));
  await done(group.owner.put(group.at, { shared_runners_setting: 'disabled_and_unoverridable' }));
  assert.equal(await takes(instance, project, {}), false);
});

test('nothing is run of a project whose builds are off, or that is to be deleted', async () => {
  const project = await here.newProject({ readme: true });
  await done(root.put(project.at, { builds_access_level: 'disabled' }));
  assert.equal((await offer({ projects: [project.id] }, project, {})).taken, false);
  await done(root.put(project.at, { builds_access_level: 'enabled' }));
  await done(project.owner.delete(project.at));
  assert.equal((await offer({ projects: [project.id] }, project, {})).taken, false);
});

test('runners of the instance begin with the project that they work least for', async () => {
  const [busy, idle] = [await here.newProject({ readme: true }), await here.newProject({ readme: true })];
  const runner = await runnerRow(here, { tags: ['fair'], run_untagged: false });
  await jobRow(here, busy, { status: 'running', runner_id: runner.id });
  const first = await jobRow(here, busy, { tags: ['fair'] });
  const second = await jobRow(here, idle, { tags: ['fair'] });
  const next = async () => (await anonymous.post('/jobs/request', { token: runner.token })).body;
  const one = await next();
  assert.equal(one.id, second);
  assert.equal(one.job_info.project_jobs_running_on_instance_runners_count, '1');
  assert.equal((await next()).id, first);
});
