import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { basic } from '#test/examples/scene.ts';
import { archivedJob } from '#test/support/pipeline-rows.ts';
import { newSite, type TestSite } from '#test/support/replication-sites.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

const here = await world();
const { root, name, newGroup, newProject, runJobs, server } = here;

type Event = Record<'event_name' | 'replicable_name', string> & { id: number; replicable_id: number; checksum: string };

const list = async (site: TestSite, replicable_name: string) =>
  (await expectSuccess(site.get('/geo/replicables', { replicable_name }))).body;
/** Returns a function that lists the events since its last call. */
const createEventReader = async (site: TestSite) => {
  let after = 0;
  const next = async () => {
    const events: Event[] = (await expectSuccess(site.get('/geo/events', { after_id: after }))).body;
    after = events.at(-1)?.id ?? after;
    return events.map((one) => `${one.event_name} ${one.replicable_name} ${one.replicable_id}`);
  };
  while ((await next()).length > 0);
  return next;
};

const branch = ({ owner, repository }: Project) =>
  expectSuccess(owner.post(`${repository}/branches`, { branch: name('branch'), ref: 'main' }));

async function upload({ owner, path_with_namespace }: Project): Promise<string> {
  const raw = Buffer.from(name('content'));
  const oid = createHash('sha256').update(raw).digest('hex');
  const path = `//${path_with_namespace}.git/gitlab-lfs/objects/${oid}/${raw.length}`;
  await expectSuccess(here.anonymous.send('PUT', path, { raw, headers: basic(owner) }));
  return oid;
}

test('records no events without a secondary; a later one gets all objects from the lists', async () => {
  await expectSuccess(root.post('/geo_sites', { name: 'hq', url: 'https://hq.test', primary: true }));
  const project = await newProject({ readme: true });
  await upload(project);
  const { count } = await server.services.database.reader
    .selectFrom('geo_events')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  assert.equal(count, 0);
  const site = await newSite(here);
  assert.deepEqual(
    (await list(site, 'project_repository')).map((one: Event) => one.replicable_id),
    [project.id],
  );
  assert.equal((await list(site, 'lfs_object')).length, 1);
});

test('the checksum of a repository is pending until its job has run, and again after each change', async () => {
  const [site, project] = [await newSite(here), await newProject({ readme: true })];
  const own = async () =>
    (
      await expectSuccess(
        site.get('/geo/replicables', { replicable_name: 'project_repository', after_id: project.id - 1, per_page: 1 }),
      )
    ).body[0];
  const { updated_at: _, ...first } = await own();
  assert.deepEqual(first, {
    replicable_name: 'project_repository',
    replicable_id: project.id,
    checksum: null,
    checksum_state: 'pending',
    size: null,
    path: project.path_with_namespace,
    storage: 'default',
  });
  await runJobs();
  const found = await own();
  assert.deepEqual([found.checksum_state, found.checksum.length], ['succeeded', 40]);
  await branch(project);
  assert.equal((await own()).checksum, null);
  await runJobs();
  assert.notEqual((await own()).checksum, found.checksum);
});

test('a site gets the events of a project in order', async () => {
  const site = await newSite(here);
  const news = await createEventReader(site);
  const { id, ...project } = await newProject({ readme: true });
  const of = (what: string) => `${what} project_repository ${id}`;
  assert.deepEqual([...new Set(await news())], [of('created'), of('updated')]);
  await branch({ id, ...project });
  assert.deepEqual(await news(), [of('updated')]);
  await expectSuccess(project.owner.put(project.at, { path: name('renamed') }));
  assert.deepEqual(await news(), [of('updated')]);
  await expectSuccess(project.owner.put(project.at, { description: 'of no concern' }));
  assert.deepEqual(await news(), []);
  await expectSuccess(project.owner.delete(project.at));
  const [marked] = [(await root.get(`/projects/${id}`)).body];
  await expectSuccess(
    root.delete(`/projects/${id}`, { permanently_remove: true, full_path: marked.path_with_namespace }),
  );
  await runJobs();
  assert.equal((await news()).at(-1), of('deleted'));
});

test('blobs are created and deleted with their references, and their events have the checksum', async () => {
  const site = await newSite(here);
  const project = await newProject({ readme: true });
  const news = await createEventReader(site);
  const oid = await upload(project);
  const object = (await list(site, 'lfs_object')).find((one: Event) => one.checksum === oid);
  assert.deepEqual([object.checksum_state, object.path, object.storage], ['succeeded', null, null]);
  const { id: jobId } = await archivedJob(here, project);
  const events = await news();
  assert.equal(events.includes(`created lfs_object ${object.replicable_id}`), true);
  const [artifact] = events.filter((one) => one.startsWith('created job_artifact'));
  await server.services.database.transaction((tx) => tx.deleteFrom('jobs').where('id', '=', jobId).execute());
  assert.equal((await news()).includes(artifact!.replace('created', 'deleted')), true);
});

test('a site with a scope of groups gets the events of these groups and their subgroups', async () => {
  const [group, outside] = [await newGroup(), await newGroup()];
  const [inside, elsewhere] = [
    await newProject({ in: await newGroup({ in: group }) }),
    await newProject({ in: outside }),
  ];
  const scope = { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] };
  const site = await newSite(here, scope);
  const listProjectIds = async () => (await list(site, 'project_repository')).map((one: Event) => one.replicable_id);
  assert.deepEqual(await listProjectIds(), [inside.id]);
  const countObjects = async () => (await list(site, 'lfs_object')).length;
  const news = await createEventReader(site);
  await upload(elsewhere);
  await expectSuccess(elsewhere.owner.put(elsewhere.at, { path: name('renamed') }));
  assert.deepEqual([await countObjects(), (await news()).filter((one) => !one.startsWith('deleted'))], [0, []]);
  await upload(inside);
  assert.equal(await countObjects(), 1);
  assert.equal(
    (await news()).some((one) => one.startsWith('created lfs_object')),
    true,
  );
});

test('an object that leaves the scope of a site is reported as deleted, one that enters it as created', async () => {
  const [group, outside] = [await newGroup({ owner: root }), await newGroup({ owner: root })];
  const project = await newProject({ in: group, owner: root });
  await upload(project);
  const scope = { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] };
  const site = await newSite(here, scope);
  const [object] = await list(site, 'lfs_object');
  const news = await createEventReader(site);
  await expectSuccess(root.put(`/projects/${project.id}/transfer`, { namespace: outside.id }));
  const events = await news();
  assert.deepEqual(events.sort(), [
    `deleted lfs_object ${object.replicable_id}`,
    `deleted project_repository ${project.id}`,
  ]);
  await expectSuccess(root.put(`/projects/${project.id}/transfer`, { namespace: group.id }));
  const back = await news();
  assert.deepEqual(back.sort(), [
    `updated lfs_object ${object.replicable_id}`,
    `updated project_repository ${project.id}`,
  ]);
  await expectSuccess(root.post(`/groups/${outside.id}/transfer`, { group_id: group.id }));
  assert.deepEqual(await news(), []);
});

test('a site with a scope of storages gets no events of others', async () => {
  await newProject();
  const nowhere = await newSite(here, { selective_sync_type: 'shards', selective_sync_shards: ['nowhere'] });
  assert.deepEqual(await list(nowhere, 'project_repository'), []);
  const all = await newSite(here, { selective_sync_type: 'shards', selective_sync_shards: ['default'] });
  assert.equal((await list(all, 'project_repository')).length > 0, true);
});

test('snippets have events and are listed, but belong to no group', async () => {
  const site = await newSite(here);
  const news = await createEventReader(site);
  const snippet = { title: 'Notes', file_name: 'a.md', content: 'Text', visibility: 'private' };
  const { id } = (await expectSuccess(root.post('/snippets', snippet))).body;
  assert.deepEqual(await news(), [`created snippet_repository ${id}`]);
  await list(site, 'snippet_repository');
  await runJobs();
  const [found] = await list(site, 'snippet_repository');
  assert.deepEqual([found.replicable_id, found.path, found.checksum_state], [id, `snippets/${id}`, 'succeeded']);
  const scopedSite = await newSite(here, { selective_sync_type: 'namespaces' });
  assert.deepEqual(await list(scopedSite, 'snippet_repository'), []);
  await expectSuccess(root.delete(`/snippets/${id}`));
  assert.deepEqual(await news(), [`deleted snippet_repository ${id}`]);
});

test('kinds without objects are empty, and unknown kinds are invalid', async () => {
  const site = await newSite(here);
  for (const kind of ['upload', 'project_wiki_repository', 'group_wiki_repository'])
    assert.deepEqual(await list(site, kind), []);
  const getError = async (params: Record<string, unknown>) => (await site.get('/geo/replicables', params)).body.error;
  assert.equal(await getError({ replicable_name: 'design' }), 'replicable_name does not have a valid value');
  assert.equal(await getError({}), 'replicable_name is missing, replicable_name does not have a valid value');
  assert.equal(await getError({ replicable_name: 'upload', after_id: 'x' }), 'after_id is invalid');
});

test('returns a blob to a site with the blob in its scope and a token signed for it', async () => {
  const group = await newGroup();
  const [project, elsewhere] = [await newProject({ in: group }), await newProject()];
  const scope = { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] };
  const site = await newSite(here, scope);
  const oid = await upload(project);
  const [{ replicable_id, size }] = await list(site, 'lfs_object');
  const get = (data: object, id = replicable_id) =>
    here.anonymous.get(`/geo/retrieve/lfs_object/${id}`, {}, site.proof(data));
  const right = { replicable_name: 'lfs_object', replicable_id };
  const { status, headers, bytes } = await get(right);
  assert.deepEqual(
    [status, headers['content-type'], headers['x-hearth-checksum'], bytes.length],
    [200, 'application/octet-stream', oid, size],
  );
  assert.equal(createHash('sha256').update(bytes).digest('hex'), oid);
  for (const data of [
    { scope: 'geo_api' },
    { ...right, replicable_id: `${replicable_id}` },
    { ...right, replicable_id: 0 },
  ])
    assert.equal((await get(data)).status, 401);
  const foreign = await newSite(here);
  await upload(elsewhere);
  const last = (await list(foreign, 'lfs_object')).at(-1).replicable_id;
  const missing = await get({ ...right, replicable_id: last }, last);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not Found' }]);
});
