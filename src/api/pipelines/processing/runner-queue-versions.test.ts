import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { createPipelineFixture } from './fixtures.testing.ts';
import { getQueueVersion } from './index.ts';

const here = await world();
const { newGroup, newProject, server, clock } = here;
const { database } = server.services;

async function queueValue(id: number): Promise<string> {
  const runner = await database.reader.selectFrom('runners').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return getQueueVersion(database.reader, runner, clock.now().toISOString());
}

type Runners = Readonly<Record<string, number>>;

/** Which of these runners learn that a job of the project has become pending. */
const toldBy = (project: Project, runners: Runners) =>
  toldOf(() => createPipelineFixture(here, project, { build: {} }), runners);

async function toldOf(event: () => Promise<unknown>, runners: Runners): Promise<string[]> {
  const before = await Promise.all(Object.values(runners).map(queueValue));
  await event();
  const after = await Promise.all(Object.values(runners).map(queueValue));
  return Object.keys(runners).filter((_name, index) => before[index] !== after[index]);
}

const group = await newGroup();
const subgroup = await newGroup({ in: group });
const project = await newProject({ in: subgroup });
const other = await newProject({ in: group });
const runners = {
  instance: (await runnerRow(here)).id,
  above: (await runnerRow(here, { runner_type: 'group_type', group_id: group.id })).id,
  beside: (await runnerRow(here, { runner_type: 'group_type', group_id: (await newGroup()).id })).id,
  own: (await runnerRow(here, { projects: [project.id] })).id,
  foreign: (await runnerRow(here, { projects: [other.id] })).id,
};

test('notifies a runner of each pending job that it may take', async () => {
  assert.deepEqual(await toldBy(project, runners), ['instance', 'above', 'own']);
  assert.deepEqual(await toldBy(project, runners), ['instance', 'above', 'own']);
});

test('notifies no runners that a project does not accept', async () => {
  await expectSuccess(project.owner.put(project.at, { shared_runners_enabled: false, group_runners_enabled: false }));
  assert.deepEqual(await toldBy(project, runners), ['own']);
});

test('notifies runners of pending jobs of a project that enables them again', async () => {
  const put = (params: Readonly<Record<string, unknown>>) =>
    toldOf(() => expectSuccess(project.owner.put(project.at, params)), runners);
  assert.deepEqual(await put({ group_runners_enabled: true }), ['above', 'own']);
  assert.deepEqual(await put({ shared_runners_enabled: true }), ['instance', 'above', 'own']);
  assert.deepEqual(await put({ shared_runners_enabled: true, description: 'as it is' }), []);
});

test('notifies runners of pending jobs of a project that enables builds again', async () => {
  const put = (params: Readonly<Record<string, unknown>>) =>
    toldOf(() => expectSuccess(project.owner.put(project.at, params)), runners);
  assert.deepEqual(await put({ builds_access_level: 'disabled' }), []);
  assert.deepEqual(await put({ builds_access_level: 'private' }), ['instance', 'above', 'own']);
  assert.deepEqual(await put({ builds_access_level: 'enabled' }), []);
  assert.deepEqual(await put({ jobs_enabled: false }), []);
  assert.deepEqual(await put({ jobs_enabled: true }), ['instance', 'above', 'own']);
});

test('notifies runners of pending jobs of a restored project', async () => {
  assert.deepEqual(await toldOf(() => expectSuccess(project.owner.delete(project.at)), runners), []);
  const restored = () => expectSuccess(project.owner.post(`${project.at}/restore`));
  assert.deepEqual(await toldOf(restored, runners), ['instance', 'above', 'own']);
});

test('a runner that has lost a project and its count never has a former queue value again', async () => {
  const place = () => newProject({ owner: group.owner });
  const [kept, lost, last] = [await place(), await place(), await place()];
  const twin = (await runnerRow(here, { projects: [kept.id, lost.id, last.id] })).id;
  await createPipelineFixture(here, lost, { build: {} });
  const before = await queueValue(twin);
  await expectSuccess(group.owner.delete(`${lost.at}/runners/${twin}`));
  await createPipelineFixture(here, kept, { build: {} });
  assert.notEqual(await queueValue(twin), before);
});

test('notifies runners of pending jobs of a group that no longer forbids them', async () => {
  const put = (shared_runners_setting: string) => expectSuccess(group.owner.put(group.at, { shared_runners_setting }));
  assert.deepEqual(await toldOf(() => put('disabled_and_unoverridable'), runners), []);
  assert.deepEqual(await toldBy(project, runners), ['above', 'own']);
  assert.deepEqual(await toldOf(() => put('enabled'), runners), ['instance', 'above']);
  assert.deepEqual(await toldOf(() => put('disabled_and_overridable'), runners), []);
});

test('notifies group runners of pending jobs of a project transferred to their group', async () => {
  const moved = await newProject({ owner: group.owner });
  await createPipelineFixture(here, moved, { build: {} });
  const move = () => expectSuccess(group.owner.put(`${moved.at}/transfer`, { namespace: group.id }));
  assert.deepEqual(await toldOf(move, runners), ['instance', 'above']);
});

test('expires a queue version after an hour', async () => {
  const before = await queueValue(runners.own);
  assert.equal(await queueValue(runners.own), before);
  clock.advance(3600);
  assert.notEqual(await queueValue(runners.own), before);
});
