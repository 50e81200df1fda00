import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSite } from '../../../../test/sites.ts';
import { done, world } from '../../../../test/world.ts';
import { forgetEvents } from './forget-events.ts';

const here = await world();
const { root, clock, newGroup, newProject, server } = here;
const { database } = server.rooms;

const left = async () =>
  (await database.reader.selectFrom('geo_events').select('id').orderBy('id').execute()).map(({ id }) => id);
const forget = () => forgetEvents.handle(server.rooms, {}, { id: 1, attempt: 1, signal: new AbortController().signal });
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
