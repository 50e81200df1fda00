import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRun } from '#test/support/job-run.ts';
import { newSite } from '#test/support/replication-sites.ts';
import { done, world } from '#test/support/world.ts';
import { deleteOldEvents } from './cleanup.ts';

const here = await world();
const { root, clock, newGroup, newProject, server, work } = here;
const { database } = server.services;

const left = async () =>
  (await database.reader.selectFrom('geo_events').select('id').orderBy('id').execute()).map(({ id }) => id);
const forget = () => deleteOldEvents.handle(server.services, {}, jobRun());
const age = (hours: number) =>
  database.transaction((tx) =>
    tx
      .updateTable('geo_events')
      .set({ created_at: new Date(clock.now().getTime() - hours * 3_600_000).toISOString() })
      .execute(),
  );

test('events go a day later, when every enabled site has heard of them', async () => {
  const [quick, slow] = [await newSite(here), await newSite(here)];
  await newProject({ readme: true });
  const ids = await left();
  const heard = (site: typeof quick, id: number) =>
    done(site.send('POST', '/geo/status', { geo_node_id: site.id, cursor_last_event_id: id }));
  await age(25);
  await heard(quick, ids.at(-1)!);
  await forget();
  assert.deepEqual(await left(), ids);
  await heard(slow, ids[0]!);
  await forget();
  assert.deepEqual(await left(), ids.slice(1));
  await done(root.put(slow.at, { enabled: false }));
  await age(23);
  await forget();
  assert.deepEqual(await left(), ids.slice(1));
  await age(25);
  await forget();
  assert.deepEqual(await left(), []);
  await done(root.delete(slow.at));
  await done(root.delete(quick.at));
});

test('what does not concern a site is not kept for it, however little it is told', async () => {
  const group = await newGroup();
  await newSite(here, { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] });
  await newProject({ readme: true });
  await newProject({ in: group });
  const ids = await left();
  await age(25);
  await forget();
  const [first] = await left();
  assert.equal(first! > ids[0]!, true);
  const { event_name } = await database.reader
    .selectFrom('geo_events')
    .select('event_name')
    .where('id', '=', first!)
    .executeTakeFirstOrThrow();
  assert.equal(event_name, 'created');
});

test('checksums go with their repositories, those of wikis too, and no earlier', async () => {
  const site = await newSite(here);
  const project = await newProject({ readme: true });
  await done(project.owner.post(`${project.at}/wikis`, { title: 'Home', content: 'x' }));
  const kinds = ['project_repository', 'project_wiki_repository'];
  for (const replicable_name of kinds) await done(site.get('/geo/replicables', { replicable_name, per_page: 100 }));
  await work();
  const known = () =>
    database.reader.selectFrom('geo_checksums').select(['replicable_name', 'replicable_id']).execute();
  const before = await known();
  assert.deepEqual([...new Set(before.map(({ replicable_name }) => replicable_name))].sort(), kinds);
  await forget();
  assert.deepEqual(await known(), before);
  await database.transaction(async (tx) => {
    await tx.deleteFrom('wikis').where('project_id', '=', project.id).execute();
    await tx.deleteFrom('repositories').where('project_id', '=', project.id).execute();
  });
  await forget();
  const wikis = (await known()).filter(({ replicable_name }) => replicable_name === 'project_wiki_repository');
  assert.deepEqual(wikis, []);
  assert.equal(
    (await known()).some(({ replicable_id }) => replicable_id === project.id),
    false,
  );
});
