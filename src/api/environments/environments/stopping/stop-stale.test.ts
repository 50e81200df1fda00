import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import { createDeploymentFixture, deploymentRow } from '#test/support/deployment-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Environments that nobody has looked after for long (contract/environments.md "stop_stale").

const DAY = 86_400;
const here = await world();
const { clock, newGroup, newProject, server, runJobs } = here;

async function given() {
  const group = await newGroup({});
  const project = await newProject({ in: group, readme: true });
  const developer = await project.addMember('developer');
  const maintainer = await project.addMember('maintainer');
  const make = async (name: string, params = {}) =>
    (await expectSuccess(maintainer.post(`${project.at}/environments`, { name, ...params }))).body as {
      id: number;
      name: string;
    };
  const states = async () => {
    const { body } = await maintainer.get(`${project.at}/environments`);
    return Object.fromEntries(body.map((one: { name: string; state: string }) => [one.name, one.state]));
  };
  return { group, project, developer, maintainer, make, states, at: `${project.at}/environments/stop_stale` };
}

const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY * 1000).toISOString();

test('requires a date between a week and ten years ago', async () => {
  const { maintainer, developer, at } = await given();
  const ask = async (before?: string) => (await maintainer.post(at, before === undefined ? {} : { before })).body;
  const invalid = { message: '400 Bad request - Invalid Date' };
  const requested = { message: 'Successfully requested stop for all stale environments' };
  assert.deepEqual(await ask(), { error: 'before is missing' });
  for (const before of ['garbage', '31/02/2025', '2025-13-01', '1/2/20255'])
    assert.deepEqual(await ask(before), { error: 'before is invalid' });
  for (const days of [6, 11 * 366, -1]) assert.deepEqual(await ask(daysAgo(days)), invalid);
  assert.deepEqual(await ask(new Date(clock.now().getTime() - 7 * DAY * 1000 + 1).toISOString()), invalid);
  for (const days of [7, 8, 9 * 365]) assert.deepEqual(await ask(daysAgo(days)), requested);
  assert.deepEqual(await ask('10/10/2021'), requested);
  assert.equal((await maintainer.post(at, { before: daysAgo(8) })).status, 200);
  assert.equal((await developer.post(at, { before: daysAgo(8) })).status, 403);
  await runJobs();
});

test('stops environments without changes and deployments since then, in the background', async () => {
  const { project, maintainer, make, states, at } = await given();
  const old = await make('old');
  const busy = await make('busy');
  await make('by-job', { auto_stop_setting: 'with_action' });
  await deploymentRow(here, project, old);
  clock.advance(20 * DAY);
  await deploymentRow(here, project, busy);
  await make('young');
  await expectSuccess(maintainer.post(at, { before: daysAgo(10) }));
  assert.equal((await states()).old, 'available');
  await runJobs();
  assert.deepEqual(await states(), { old: 'stopped', busy: 'available', 'by-job': 'available', young: 'available' });
});

test('plays the stop job of a stale environment without an actor', async () => {
  const { project, maintainer, make, states, at } = await given();
  await createDeploymentFixture(here, project, await make('jobs'));
  await createDeploymentFixture(here, project, await make('nobodys'), { halt: { user_id: null } });
  clock.advance(20 * DAY);
  await expectSuccess(maintainer.post(at, { before: daysAgo(10) }));
  await runJobs();
  assert.deepEqual(await states(), { jobs: 'stopping', nobodys: 'available' });
});

test('skips environments protected by name or by tier', async () => {
  const { group, project, maintainer, make, states, at } = await given();
  for (const name of ['production', 'staging', 'canary', 'dev']) await make(name);
  await server.services.database.transaction(async (tx) => {
    await createProtection(tx, { project_id: project.id, group_id: null }, 'canary', {});
    await createProtection(tx, { project_id: null, group_id: group.id }, 'production', {});
  });
  clock.advance(20 * DAY);
  await expectSuccess(maintainer.post(at, { before: daysAgo(10) }));
  await runJobs();
  assert.deepEqual(await states(), {
    production: 'available',
    staging: 'stopped',
    canary: 'available',
    dev: 'stopped',
  });
});
