import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRun } from '#test/support/job-run.ts';
import { newSite } from '#test/support/replication-sites.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { deleteOldEvents } from './events.ts';

const here = await world();
const { root, clock, newGroup, newProject, server, runJobs } = here;
const { database } = server.services;

const listEventIds = async () =>
  (await database.reader.selectFrom('geo_events').select('id').orderBy('id').execute()).map(({ id }) => id);
const runCleanup = () => deleteOldEvents.handle(server.services, {}, jobRun());
const advanceHours = (hours: number) =>
  database.transaction((tx) =>
    tx
      .updateTable('geo_events')
      .set({ created_at: new Date(clock.now().getTime() - hours * 3_600_000).toISOString() })
      .execute(),
  );

test('deletes events after a day, when all enabled sites have read them', async () => {
  const [quick, slow] = [await newSite(here), await newSite(here)];
  await newProject({ readme: true });
  const ids = await listEventIds();
  const reportPosition = (site: typeof quick, id: number) =>
    expectSuccess(site.send('POST', '/geo/status', { geo_node_id: site.id, cursor_last_event_id: id }));
  await advanceHours(25);
  await reportPosition(quick, ids.at(-1)!);
  await runCleanup();
  assert.deepEqual(await listEventIds(), ids);
  await reportPosition(slow, ids[0]!);
  await runCleanup();
  assert.deepEqual(await listEventIds(), ids.slice(1));
  await expectSuccess(root.put(slow.at, { enabled: false }));
  await advanceHours(23);
  await runCleanup();
  assert.deepEqual(await listEventIds(), ids.slice(1));
  await advanceHours(25);
  await runCleanup();
  assert.deepEqual(await listEventIds(), []);
  await expectSuccess(root.delete(slow.at));
  await expectSuccess(root.delete(quick.at));
});

test('does not retain events outside the scope of a site, even if it has read few events', async () => {
  const group = await newGroup();
  await newSite(here, { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] });
  await newProject({ readme: true });
  await newProject({ in: group });
  const ids = await listEventIds();
  await advanceHours(25);
  await runCleanup();
  const [first] = await listEventIds();
  assert.equal(first! > ids[0]!, true);
  const { event_name } = await database.reader
    .selectFrom('geo_events')
    .select('event_name')
    .where('id', '=', first!)
    .executeTakeFirstOrThrow();
  assert.equal(event_name, 'created');
});

test('deletes the checksums of deleted repositories and wikis, and no others', async () => {
  const site = await newSite(here);
  const project = await newProject({ readme: true });
  await expectSuccess(project.owner.post(`${project.at}/wikis`, { title: 'Home', content: 'x' }));
  const kinds = ['project_repository', 'project_wiki_repository'];
  for (const replicable_name of kinds)
    await expectSuccess(site.get('/geo/replicables', { replicable_name, per_page: 100 }));
  await runJobs();
  const listChecksums = () =>
    database.reader.selectFrom('geo_checksums').select(['replicable_name', 'replicable_id']).execute();
  const before = await listChecksums();
  assert.deepEqual([...new Set(before.map(({ replicable_name }) => replicable_name))].sort(), kinds);
  await runCleanup();
  assert.deepEqual(await listChecksums(), before);
  await database.transaction(async (tx) => {
    await tx.deleteFrom('wikis').where('project_id', '=', project.id).execute();
    await tx.deleteFrom('repositories').where('project_id', '=', project.id).execute();
  });
  await runCleanup();
  const wikis = (await listChecksums()).filter(({ replicable_name }) => replicable_name === 'project_wiki_repository');
  assert.deepEqual(wikis, []);
  assert.equal(
    (await listChecksums()).some(({ replicable_id }) => replicable_id === project.id),
    false,
  );
});
