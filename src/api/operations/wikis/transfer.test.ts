import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldCase } from '#database/name-keys.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { getRepository } from '#repositories/repository.ts';
import { newSite } from '#test/support/replication-sites.ts';
import { done, type Group, type Project } from '#test/support/world.ts';
import { countReplicables } from '../replicables/index.ts';
import { worldOfStorages } from '../repository-storage-moves/fixtures.testing.ts';

// Wikis go where what they belong to goes: to another storage, to other sites, and away.

const here = await worldOfStorages();
const { root, newProject, newGroup, name, work, moveAll, server } = here;
const { database, git } = server.services;

const write = ({ owner, at }: Project | Group, title = name('page')) =>
  owner.post(`${at}/wikis`, { title, content: 'text' });

const COLUMNS = [
  ['project_id', () => newProject()],
  ['group_id', async () => newGroup({ in: await newGroup() })],
] as const;

async function rowOf({ id }: Project | Group, column: 'project_id' | 'group_id') {
  return database.reader.selectFrom('wikis').selectAll().where(column, '=', id).executeTakeFirst();
}

test('a wiki moves with its project or group, is not written meanwhile, and is written afterwards', async () => {
  for (const [column, make] of COLUMNS) {
    const place = await make();
    await write(place, 'before');
    const before = (await rowOf(place, column))!;
    const path = `${place.at}/repository_storage_moves`;
    assert.equal((await root.post(path, { destination_storage_name: 'other' })).status, 201);
    const { status, body } = await write(place, 'meanwhile');
    const message = 'The repository is temporarily read-only. Please try again later.';
    assert.deepEqual([status, body], [400, { message }]);
    await moveAll();
    assert.equal((await root.get(path)).body[0].state, 'finished');
    const now = (await rowOf(place, column))!;
    assert.equal(now.storage, 'other');
    assert.equal(await repositoryExists(getRepository(git, before)), false);
    assert.equal((await write(place, 'after')).status, 201);
    const listed = (await place.owner.get(`${place.at}/wikis`)).body;
    assert.deepEqual(
      listed.map(({ slug }: { slug: string }) => slug),
      ['after', 'before'],
    );
  }
});

test('all groups with a wiki in a storage move at once, and those without one stay', async () => {
  const [filled, bare] = [await newGroup(), await newGroup()];
  await write(filled);
  const wish = { source_storage_name: 'default', destination_storage_name: 'other' };
  assert.equal((await root.post('/group_repository_storage_moves', wish)).status, 202);
  await moveAll();
  await moveAll();
  assert.equal((await rowOf(filled, 'group_id'))?.storage, 'other');
  assert.equal((await root.get(bare.at)).body.repository_storage, 'default');
});

test("a group's wiki is where the weights of the storages want it", async (t) => {
  const weigh = (weights: object) => root.put('/application/settings', { repository_storages_weighted: weights });
  await weigh({ other: 100 });
  t.after(() => weigh({ default: 100 }));
  const { body: group } = await done(root.post('/groups', { name: name(), path: name('weighed') }));
  assert.equal(group.repository_storage, 'other');
  await done(root.post(`/groups/${group.id}/wikis`, { title: 'Home', content: 'text' }));
  assert.equal((await rowOf(group, 'group_id'))?.storage, 'other');
});

test('a wiki goes with its project or group, and its events with the project', async () => {
  for (const [column, make] of COLUMNS) {
    const place = await make();
    await write(place);
    const { wiki_id, ...wiki } = (await rowOf(place, column))!;
    await done(place.owner.delete(place.at));
    const { body } = await root.get(place.at);
    const full_path = body.path_with_namespace ?? body.full_path;
    await done(root.delete(place.at, { permanently_remove: true, full_path }));
    await work();
    assert.equal(await rowOf(place, column), undefined);
    assert.equal(await repositoryExists(getRepository(git, wiki)), false);
    const pages = database.reader.selectFrom('wiki_pages').select('id').where('wiki_id', '=', wiki_id);
    assert.deepEqual(await pages.execute(), []);
  }
});

test('sites are told of wikis, and fetch them', async () => {
  await done(root.post('/geo_sites', { name: 'hq', url: 'https://hq.test', primary: true }));
  const site = await newSite(here);
  for (const [column, make] of COLUMNS) {
    const place = await make();
    const replicable_name = column === 'project_id' ? 'project_wiki_repository' : 'group_wiki_repository';
    await write(place);
    await write(place);
    const { wiki_id } = (await rowOf(place, column))!;
    const { body: events } = await site.get('/geo/events');
    const own = events.filter((event: Record<string, unknown>) => event.replicable_name === replicable_name);
    assert.deepEqual(
      own.map((event: Record<string, unknown>) => [event.event_name, event.replicable_id]),
      [
        ['created', wiki_id],
        ['updated', wiki_id],
      ],
    );
    await site.get('/geo/replicables', { replicable_name });
    await work();
    const found = (await site.get('/geo/replicables', { replicable_name })).body.at(-1);
    const path = `${'full_path' in place ? place.full_path : place.path_with_namespace}.wiki`;
    assert.deepEqual([found.replicable_id, found.path, found.checksum_state], [wiki_id, path, 'succeeded']);
    const headers = site.proof({ scope: path });
    const refs = await here.anonymous.send('GET', `//${path}.git/info/refs?service=git-upload-pack`, { headers });
    assert.match(refs.text, /refs\/heads\/main/);
  }
});

test('a wiki that a project stands in front of is neither told to sites nor counted for them', async () => {
  const site = await newSite(here);
  const project = await newProject();
  await write(project);
  const replicable_name = 'project_wiki_repository';
  const told = async () =>
    (await site.get('/geo/replicables', { replicable_name, per_page: 100 })).body.map(
      ({ replicable_id }: { replicable_id: number }) => replicable_id,
    );
  const counted = async () => (await countReplicables(database.reader)).project_wiki_repositories?.all;
  const before = await told();
  assert.equal(await counted(), before.length);
  const { wiki_id } = (await rowOf(project, 'project_id'))!;
  // Such a path is refused today, and may be there from before.
  const { id } = await newProject({ owner: project.owner });
  const full_path = `${project.path_with_namespace}.wiki`;
  const named = { full_path, full_path_key: foldCase(full_path) };
  await database.transaction((tx) => tx.updateTable('routes').set(named).where('project_id', '=', id).execute());
  const left = before.filter((id: number) => id !== wiki_id);
  assert.deepEqual([await told(), await counted()], [left, before.length - 1]);
});

test('what a wiki takes is counted with its project and the group that this is in', async () => {
  const group = await newGroup();
  const project = await newProject({ in: group });
  await write(project);
  const sizes = async () => {
    const [one, all] = [
      await root.get(project.at, { statistics: true }),
      await root.get(group.at, { statistics: true }),
    ];
    return [one.body.statistics.wiki_size, all.body.statistics.wiki_size];
  };
  const [measured, inGroup] = await sizes();
  assert.ok(measured > 0);
  assert.equal(inGroup, measured);
  await write(group);
  here.clock.advance(60);
  await work();
  const [kept, together] = await sizes();
  assert.ok(kept > 0 && together > kept);
});
