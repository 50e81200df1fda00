import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeploymentFixture } from '#test/support/deployment-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// What happens to environments when its time has come (contract/environments.md Part 5 "Sweeps").

const here = await world({ project: { readme: true } });
const { clock, project, owner, server, runJobs } = here;
const { database } = server.services;

/** One that stops so many seconds from now. */
async function timed(name: string, seconds: number, params = {}) {
  const { body } = await expectSuccess(owner.post(`${project.at}/environments`, { name, ...params }));
  const auto_stop_at = new Date(clock.now().getTime() + seconds * 1000).toISOString();
  await database.transaction((tx) =>
    tx.updateTable('environments').set({ auto_stop_at }).where('id', '=', body.id).execute(),
  );
  return {
    id: body.id as number,
    name,
    read: async () => (await owner.get(`${project.at}/environments/${body.id}`)).body,
  };
}

test('stops a due environment within a minute and clears auto_stop_at', async () => {
  const environment = await timed('timed', 600);
  clock.advance(540);
  await runJobs();
  assert.equal((await environment.read()).state, 'available');
  clock.advance(120);
  await runJobs();
  const { state, auto_stop_at } = await environment.read();
  assert.deepEqual([state, auto_stop_at], ['stopped', null]);
});

test('plays stop jobs, and keeps an environment that only a missing job may stop', async () => {
  const [jobs, waiting, nobodys] = [
    await timed('jobs', 60),
    await timed('waiting', 60, { auto_stop_setting: 'with_action' }),
    await timed('nobodys', 60),
  ];
  const { halt } = await createDeploymentFixture(here, project, jobs);
  await createDeploymentFixture(here, project, nobodys, { halt: { user_id: null } });
  clock.advance(120);
  await runJobs();
  const states = await Promise.all([jobs, waiting, nobodys].map(async ({ read }) => (await read()).state));
  assert.deepEqual(states, ['stopping', 'available', 'available']);
  assert.equal((await owner.get(`${project.at}/jobs/${halt}`)).body.status, 'pending');
});

test('stops very many due environments', async () => {
  const first = await timed('many', 60);
  await database.transaction(async (tx) => {
    const row = await tx.selectFrom('environments').selectAll().where('id', '=', first.id).executeTakeFirstOrThrow();
    const { id, ...rest } = row;
    const rows = Array.from({ length: 150 }, (_, at) => ({ ...rest, name: `many/${at}`, slug: `many-${at}` }));
    await tx.insertInto('environments').values(rows).execute();
  });
  clock.advance(120);
  await runJobs();
  const { headers } = await owner.get(`${project.at}/environments`, { search: 'many', states: 'stopped' });
  assert.equal(headers['x-total'], '151');
});
