import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerRow } from '../../../../test/jobs.ts';
import { done, type Project, world } from '../../../../test/world.ts';
import { given } from './given.testing.ts';
import { readQueueValue } from './index.ts';

const here = await world();
const { newGroup, newProject, server, clock } = here;
const { database } = server.rooms;

async function queueValue(id: number): Promise<string> {
  const runner = await database.reader.selectFrom('runners').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return readQueueValue(database.reader, runner, clock.now().toISOString());
}

/** Which of these runners learn that a job of the project has become pending. */
async function toldBy(project: Project, runners: Readonly<Record<string, number>>): Promise<string[]> {
  const before = await Promise.all(Object.values(runners).map(queueValue));
  await given(here, project, { build: {} });
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

test('a runner learns of each job that becomes pending where it may take one', async () => {
  assert.deepEqual(await toldBy(project, runners), ['instance', 'above', 'own']);
  assert.deepEqual(await toldBy(project, runners), ['instance', 'above', 'own']);
});

test('runners that a project does not take learn nothing of its jobs', async () => {
  await done(project.owner.put(project.at, { shared_runners_enabled: false, group_runners_enabled: false }));
  assert.deepEqual(await toldBy(project, runners), ['own']);
});

test('a queue value is good for an hour', async () => {
  const before = await queueValue(runners.own);
  assert.equal(await queueValue(runners.own), before);
  clock.advance(3600);
  assert.notEqual(await queueValue(runners.own), before);
});
