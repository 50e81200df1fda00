import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_SIZE } from '#events/batches.ts';
import { enqueue } from '#jobs/job.ts';
import { errorRow, eventRow } from '#test/support/error-rows.ts';
import { done, type Project, type World, world } from '#test/support/world.ts';
import { removeEvents } from './delete.ts';
import { removeExpired } from './retention.ts';

// How long reports are kept (contract/monitoring.md §12 "Retention"), and what goes with a project.

const DAY = 86_400_000;

const KEPT = ['errors', 'error_events', 'session_states', 'session_buckets', 'client_keys'] as const;

/** How many rows of each a project has. */
async function keptOf({ server }: World, { id }: Pick<Project, 'id'>): Promise<number[]> {
  const { reader } = server.services.database;
  const counts = KEPT.map(async (table) => {
    const counted = reader.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'));
    return (await counted.where('project_id', '=', id).executeTakeFirstOrThrow()).count;
  });
  return Promise.all(counts);
}

/** An error with an event, a user, an environment, an hour; a session. All of it came and happened at this moment. */
async function reported(here: World, project: Pick<Project, 'id'>, moment: string): Promise<number> {
  const id = await errorRow(here, project, { first_seen: moment, last_seen: moment, last_received_at: moment });
  await eventRow(here, project, id, { received_at: moment, occurred_at: moment });
  const sid = here.name('sid');
  const place = { project_id: project.id, release: sid, environment: '' };
  const counts = { total: 1, exited: 1, errored: 0, crashed: 0, abnormal: 0 };
  const hour = Math.floor(Date.parse(moment) / 1000);
  await here.server.services.database.transaction(async (tx) => {
    await tx.insertInto('error_users').values({ error_id: id, user_key: '42' }).execute();
    await tx.insertInto('error_environments').values({ error_id: id, environment: 'production' }).execute();
    await tx.insertInto('error_hours').values({ error_id: id, hour, event_count: 1 }).execute();
    await tx
      .insertInto('session_buckets')
      .values({ ...place, ...counts, last_seen: moment })
      .execute();
    const state = { ...place, sid, bucket: 'exited', seq: null, received_at: moment } as const;
    await tx.insertInto('session_states').values(state).execute();
  });
  return id;
}

async function removeNow(here: World): Promise<void> {
  await here.server.services.database.transaction((tx) => enqueue(tx, removeExpired, {}));
  await here.work();
}

const daysAgo = ({ clock }: World, days: number, more = 0) =>
  new Date(clock.now().getTime() - days * DAY - more).toISOString();

test('what came longer ago than the project says goes, and the error with its last event', async () => {
  const here = await world({ project: {} });
  const short = await here.newProject({});
  for (const project of [here.project, short]) {
    for (const days of [0, 6, 7, 90]) await reported(here, project, daysAgo(here, days, 120_000));
  }
  await done(short.owner.put(`${short.at}/error_tracking/ingestion_settings`, { retention_days: 7 }));
  await removeNow(here);
  assert.deepEqual(await keptOf(here, here.project), [3, 3, 3, 3, 0]);
  assert.deepEqual(await keptOf(here, short), [2, 2, 2, 2, 0]);
});

test('an error that has happened again stays, without the events that are too old', async () => {
  const here = await world({ project: {} });
  const { project } = here;
  const id = await reported(here, project, daysAgo(here, 91));
  await eventRow(here, project, id);
  const { reader, transaction } = here.server.services.database;
  const last_received_at = daysAgo(here, 0);
  await transaction((tx) => tx.updateTable('errors').set({ last_received_at }).where('id', '=', id).execute());
  await removeNow(here);
  assert.deepEqual(await keptOf(here, project), [1, 1, 0, 0, 0]);
  const users = await reader.selectFrom('error_users').select('user_key').where('error_id', '=', id).execute();
  assert.deepEqual(users, [{ user_key: '42' }]);
});

test('of long events fewer go at a time', async () => {
  const here = await world();
  const project = await here.newProject({});
  const { transaction } = here.server.services.database;
  const id = await errorRow(here, project);
  for (let time = 0; time < 10; time++) await eventRow(here, project, id, { payload: `"${'x'.repeat(2 ** 20)}"` });
  const left: number[] = [];
  while ((await transaction((tx) => removeEvents(tx, project.id))) === BATCH_SIZE)
    left.push((await keptOf(here, project))[1]!);
  assert.deepEqual(left, [3]);
  assert.deepEqual(await keptOf(here, project), [1, 0, 0, 0, 0]);
});

test('hours of which nothing is shown any more are forgotten', async () => {
  const here = await world({ project: {} });
  const { reader } = here.server.services.database;
  const [young, old] = [
    await reported(here, here.project, daysAgo(here, 0.9)),
    await reported(here, here.project, daysAgo(here, 2)),
  ];
  await removeNow(here);
  const hours = reader.selectFrom('error_hours').select('error_id').where('error_id', 'in', [young, old]);
  assert.deepEqual(await hours.execute(), [{ error_id: young }]);
});

test('a project takes all that was reported to it along, in pieces', async () => {
  const here = await world();
  const project = await here.newProject({});
  const id = await reported(here, project, daysAgo(here, 0));
  const users = Array.from({ length: BATCH_SIZE + 1 }, (_, at) => ({ error_id: id, user_key: `user ${at}` }));
  const { reader, transaction } = here.server.services.database;
  await transaction((tx) => tx.insertInto('error_users').values(users).execute());
  await done(project.owner.post(`${project.at}/error_tracking/client_keys`));
  await done(project.owner.delete(project.at));
  const { path_with_namespace: full_path } = (await done(project.owner.get(project.at))).body;
  await done(project.owner.delete(project.at, { permanently_remove: true, full_path }));
  await here.work();
  assert.deepEqual(await keptOf(here, project), [0, 0, 0, 0, 0]);
  assert.deepEqual(await reader.selectFrom('error_users').select('error_id').where('error_id', '=', id).execute(), []);
});
