import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_SIZE } from '#events/batches.ts';
import { enqueue } from '#jobs/job.ts';
import { errorRow, eventRow } from '#test/support/error-rows.ts';
import { expectSuccess, type Project, type World, world } from '#test/support/world.ts';
import { cleanUpExpiredReports, deleteEventBatch } from './retention.ts';

// Retention of reports (contract/monitoring.md §12 "Retention"), and deletion with their project.

const DAY_MS = 86_400_000;

const TABLES = ['errors', 'error_events', 'session_states', 'session_buckets', 'client_keys'] as const;

/** Returns the number of rows of a project in each of the tables. */
async function countRows({ server }: World, { id }: Pick<Project, 'id'>): Promise<number[]> {
  const { reader } = server.services.database;
  const counts = TABLES.map(async (table) => {
    const query = reader.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'));
    return (await query.where('project_id', '=', id).executeTakeFirstOrThrow()).count;
  });
  return Promise.all(counts);
}

/** Inserts an error with an event and aggregates, and a session. All of them occurred and were received at `time`. */
async function insertReport(here: World, project: Pick<Project, 'id'>, time: string): Promise<number> {
  const id = await errorRow(here, project, { first_seen: time, last_seen: time, last_received_at: time });
  await eventRow(here, project, id, { received_at: time, occurred_at: time });
  const sid = here.name('sid');
  const bucket = { project_id: project.id, release: sid, environment: '' };
  const counts = { total: 1, exited: 1, errored: 0, crashed: 0, abnormal: 0 };
  const hour = Math.floor(Date.parse(time) / 1000);
  await here.server.services.database.transaction(async (tx) => {
    await tx.insertInto('error_users').values({ error_id: id, user_key: '42' }).execute();
    await tx.insertInto('error_environments').values({ error_id: id, environment: 'production' }).execute();
    await tx.insertInto('error_hours').values({ error_id: id, hour, event_count: 1 }).execute();
    await tx
      .insertInto('session_buckets')
      .values({ ...bucket, ...counts, last_seen: time })
      .execute();
    const state = { ...bucket, sid, bucket: 'exited', seq: null, received_at: time } as const;
    await tx.insertInto('session_states').values(state).execute();
  });
  return id;
}

async function runCleanUp(here: World): Promise<void> {
  await here.server.services.database.transaction((tx) => enqueue(tx, cleanUpExpiredReports, {}));
  await here.runJobs();
}

const daysAgo = ({ clock }: World, days: number, milliseconds = 0) =>
  new Date(clock.now().getTime() - days * DAY_MS - milliseconds).toISOString();

test('deletes events after the retention period of their project, and errors with their last event', async () => {
  const here = await world({ project: {} });
  const projectWithSevenDays = await here.newProject({});
  for (const project of [here.project, projectWithSevenDays]) {
    for (const days of [0, 6, 7, 90]) await insertReport(here, project, daysAgo(here, days, 120_000));
  }
  const settingsPath = `${projectWithSevenDays.at}/error_tracking/ingestion_settings`;
  await expectSuccess(projectWithSevenDays.owner.put(settingsPath, { retention_days: 7 }));
  await runCleanUp(here);
  assert.deepEqual(await countRows(here, here.project), [3, 3, 3, 3, 0]);
  assert.deepEqual(await countRows(here, projectWithSevenDays), [2, 2, 2, 2, 0]);
});

test('keeps an error with new events, and deletes its expired events', async () => {
  const here = await world({ project: {} });
  const { project } = here;
  const id = await insertReport(here, project, daysAgo(here, 91));
  await eventRow(here, project, id);
  const { reader, transaction } = here.server.services.database;
  const last_received_at = daysAgo(here, 0);
  await transaction((tx) => tx.updateTable('errors').set({ last_received_at }).where('id', '=', id).execute());
  await runCleanUp(here);
  assert.deepEqual(await countRows(here, project), [1, 1, 0, 0, 0]);
  const users = await reader.selectFrom('error_users').select('user_key').where('error_id', '=', id).execute();
  assert.deepEqual(users, [{ user_key: '42' }]);
});

test('deletes fewer events per batch if they are long', async () => {
  const here = await world();
  const project = await here.newProject({});
  const { transaction } = here.server.services.database;
  const id = await errorRow(here, project);
  for (let time = 0; time < 10; time++) await eventRow(here, project, id, { payload: `"${'x'.repeat(2 ** 20)}"` });
  const remaining: number[] = [];
  while ((await transaction((tx) => deleteEventBatch(tx, project.id))) === BATCH_SIZE)
    remaining.push((await countRows(here, project))[1]!);
  assert.deepEqual(remaining, [3]);
  assert.deepEqual(await countRows(here, project), [1, 0, 0, 0, 0]);
});

test('deletes hourly counts older than a day', async () => {
  const here = await world({ project: {} });
  const { reader } = here.server.services.database;
  const [recent, old] = [
    await insertReport(here, here.project, daysAgo(here, 0.9)),
    await insertReport(here, here.project, daysAgo(here, 2)),
  ];
  await runCleanUp(here);
  const hours = reader.selectFrom('error_hours').select('error_id').where('error_id', 'in', [recent, old]);
  assert.deepEqual(await hours.execute(), [{ error_id: recent }]);
});

test('deletes all reports of a deleted project in batches', async () => {
  const here = await world();
  const project = await here.newProject({});
  const id = await insertReport(here, project, daysAgo(here, 0));
  const users = Array.from({ length: BATCH_SIZE + 1 }, (_, at) => ({ error_id: id, user_key: `user ${at}` }));
  const { reader, transaction } = here.server.services.database;
  await transaction((tx) => tx.insertInto('error_users').values(users).execute());
  await expectSuccess(project.owner.post(`${project.at}/error_tracking/client_keys`));
  await expectSuccess(project.owner.delete(project.at));
  const { path_with_namespace: full_path } = (await expectSuccess(project.owner.get(project.at))).body;
  await expectSuccess(project.owner.delete(project.at, { permanently_remove: true, full_path }));
  await here.runJobs();
  assert.deepEqual(await countRows(here, project), [0, 0, 0, 0, 0]);
  assert.deepEqual(await reader.selectFrom('error_users').select('error_id').where('error_id', '=', id).execute(), []);
});
