import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { enqueue } from '#jobs/job.ts';
import { type Caller, expectSuccess, type Group, type Project, world } from '#test/support/world.ts';
import { advanceImport } from '../bulk-import-engine/index.ts';

// Imports a group from one server into another, compares all fields, and imports again after a crash.

const here = await world();
const there = await world({ env: { HEARTH_SITE_NAME: 'source' } });
await here.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true });

const ada = await here.user({ username: 'ada' });

/** Creates data of every kind on the source, by its owner and by ada, who has a user on the other server. */
async function source() {
  const group = await there.newGroup({ name: 'Acme', description: 'All of it' });
  const { owner } = group;
  const author = await there.user({ username: 'ada' });
  const add = (at: string, level: number, more = {}) =>
    expectSuccess(owner.post(`${at}/members`, { user_id: author.id, access_level: level, ...more }));
  await add(group.at, 30, { expires_at: '2026-12-01' });
  await expectSuccess(owner.post(`${group.at}/labels`, { name: 'shared', color: 'red' }));
  await expectSuccess(owner.post(`${group.at}/milestones`, { title: 'Of all', due_date: '2026-03-01' }));
  await expectSuccess(
    owner.post(`${group.at}/iterations`, { title: 'It', start_date: '2026-01-05', due_date: '2026-01-12' }),
  );
  const epic = (await expectSuccess(author.post(`${group.at}/epics`, { title: 'Small', labels: 'shared' }))).body;
  const above = (await expectSuccess(owner.post(`${group.at}/epics`, { title: 'Large', description: 'Holds it' })))
    .body;
  await expectSuccess(owner.put(`${group.at}/epics/${epic.iid}`, { parent_id: above.id }));
  const project = await there.newProject({ in: group, readme: true, description: 'Code' });
  await planIn(project, { owner, author, epic: epic.id });
  await codeIn(project, { owner, author });
  await there.runJobs();
  await expectSuccess(owner.post(`${project.at}/archive`));
  return { group, project, owner };
}

interface By {
  readonly owner: Caller;
  readonly author: Caller;
}

async function planIn({ at }: Project, { owner, author, epic }: By & { readonly epic: number }) {
  await expectSuccess(owner.post(`${at}/labels`, { name: 'bug', color: '#123456', description: 'Broken' }));
  const milestone = (await expectSuccess(owner.post(`${at}/milestones`, { title: 'First' }))).body;
  const more = { milestone_id: milestone.id, labels: 'bug,shared', weight: 2, due_date: '2026-05-06', epic_id: epic };
  await expectSuccess(
    author.post(`${at}/issues`, { title: 'Crash', description: '- [ ] mend', assignee_id: author.id, ...more }),
  );
  await expectSuccess(owner.post(`${at}/issues`, { title: 'Gone' }));
  await expectSuccess(owner.delete(`${at}/issues/2`));
  await expectSuccess(owner.post(`${at}/issues`, { title: 'Secret', confidential: true, issue_type: 'incident' }));
  for (const body of ['One', 'See #3', 'Three']) await expectSuccess(author.post(`${at}/issues/1/notes`, { body }));
  await expectSuccess(author.post(`${at}/issues/1/notes`, { body: 'Between us', internal: true }));
  await expectSuccess(owner.put(`${at}/issues/3`, { state_event: 'close', discussion_locked: true }));
}

async function codeIn(project: Project, { owner, author }: By) {
  const { at } = project;
  await project.commit({ 'a.txt': 'a' }, { branch: 'first' });
  await expectSuccess(owner.post(`${at}/wikis`, { title: 'guides/Start', content: 'Hello' }));
  await project.commit({ 'b.txt': 'b' }, { branch: 'second' });
  const merge = { target_branch: 'main', labels: 'bug', reviewer_ids: [author.id] };
  await expectSuccess(
    author.post(`${at}/merge_requests`, { title: 'Mend', source_branch: 'first', description: 'Closes #1', ...merge }),
  );
  await expectSuccess(owner.post(`${at}/merge_requests`, { title: 'Draft: More', source_branch: 'second', ...merge }));
  await expectSuccess(owner.post(`${at}/merge_requests/2/notes`, { body: 'Not yet' }));
  await expectSuccess(owner.put(`${at}/merge_requests/1/merge`));
  await expectSuccess(
    owner.post(`${at}/protected_branches`, { name: 'release/*', push_access_level: 0, allow_force_push: true }),
  );
  await expectSuccess(
    owner.post(`${at}/environments`, { name: 'review/x', external_url: 'https://x.test', tier: 'testing' }),
  );
}

const LISTS = {
  group: ['', 'labels', 'milestones', 'iterations?state=all', 'epics?order_by=created_at&sort=asc'],
  project: [
    ...['', 'labels', 'milestones', 'issues?sort=asc', 'issues/1/notes?sort=asc&activity_filter=only_comments'],
    ...['issues/3/notes?sort=asc&activity_filter=only_comments', 'merge_requests?sort=asc', 'merge_requests/1/changes'],
    ...['merge_requests/2/notes?activity_filter=only_comments', 'protected_branches', 'environments'],
    'wikis?with_content=true',
  ],
} as const;

/** Fields that differ between the servers: ids, URLs, importing user, and automatic values. */
const OWN =
  /^(id|.*_id|.*url.*|_links|references|imported.*|author|user|.*_by|merge_user|assignees?|reviewers|participants|expired|subscribed|pipeline|head_pipeline|sequence|namespace|project|end_date|full|avatar_.*|.*_level_description|logs_api_path|path|full_path|path_with_namespace|runners_token|.*_prefix)$/;

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !OWN.test(name));
  return Object.fromEntries(fields.map(([name, one]) => [name, comparable(one)]));
}

async function listsOf(by: Caller, group: Pick<Group, 'at'>, project: Pick<Project, 'at'>) {
  const paths = [
    ...LISTS.group.map((list) => `${group.at}/${list}`),
    ...LISTS.project.map((list) => `${project.at}/${list}`),
  ];
  const lists: unknown[] = [];
  for (const path of paths) lists.push(comparable((await by.get(path)).body));
  return lists;
}

test('imports every field, and changes nothing when a crash loses the progress', async () => {
  const { group, project, owner } = await source();
  // The owner on the source is the importing user here.
  const importer = await here.user({ username: owner.username });
  const wanted = {
    configuration: { url: there.server.address, access_token: owner.token },
    entities: [
      {
        source_type: 'group_entity',
        source_full_path: group.path,
        destination_namespace: '',
        destination_slug: 'copy',
      },
    ],
  };
  const { id } = (await expectSuccess(importer.post('/bulk_imports', wanted))).body;
  await here.runJobs();
  const entities = (await importer.get(`/bulk_imports/${id}/entities?sort=asc`)).body;
  assert.deepEqual(
    entities.map((one: Record<string, unknown>) => [one.status, one.failures]),
    [
      ['finished', []],
      ['finished', []],
    ],
  );
  const copy = [
    importer,
    { at: `/groups/${entities[0].namespace_id}` },
    { at: `/projects/${entities[1].project_id}` },
  ] as const;
  const before = await listsOf(owner, group, project);
  const states = async () =>
    (await importer.get(`/bulk_imports/${id}/entities`)).body.map((one: { status: string }) => one.status);
  assert.deepEqual(await listsOf(...copy), before);
  await forgetProgress(id);
  assert.deepEqual(await states(), ['created', 'created']);
  await here.runJobs();
  assert.deepEqual(await states(), ['finished', 'finished']);
  assert.deepEqual(await listsOf(...copy), before);
  const members = (await importer.get(`${copy[1].at}/members`)).body;
  assert.deepEqual(
    members.map((one: Record<string, unknown>) => [one.id, one.access_level, one.expires_at]),
    [
      [ada.id, 30, '2026-12-01'],
      [importer.id, 50, null],
    ],
  );
});

/** Resets the progress like a crash before the first completed page: the data stays and every list is fetched again. */
async function forgetProgress(importId: number): Promise<void> {
  await here.server.services.database.transaction(async (tx) => {
    const open = { status: 'started' } as const;
    await tx
      .updateTable('bulk_imports')
      .set({ ...open, ended_at: null })
      .where('id', '=', importId)
      .execute();
    const entities = await tx
      .updateTable('bulk_import_entities')
      .set({ status: 'created' })
      .where('bulk_import_id', '=', importId)
      .returning('id')
      .execute();
    const ids = entities.map((entity) => entity.id);
    const relations = tx
      .updateTable('bulk_import_trackers')
      .where('entity_id', 'in', ids)
      .where('relation', 'not in', ['group', 'project', 'repository']);
    await relations.set({ ...open, next_page: null }).execute();
    await tx
      .deleteFrom('bulk_import_objects')
      .where('bulk_import_id', '=', importId)
      .where('kind', 'like', '%:notes')
      .execute();
    await enqueue(tx, advanceImport, { importId });
  });
}

/** Starts a proxy of the source that rejects requests for this path. */
async function refusing(t: TestContext, path: RegExp): Promise<string> {
  const proxy = createServer((asked, answer) => {
    if (path.test(asked.url ?? '')) return answer.writeHead(403).end('{}');
    const { method, headers } = asked;
    const on = request(`${there.server.address}${asked.url}`, { method, headers }, (said) => {
      answer.writeHead(said.statusCode ?? 500, said.headers);
      said.pipe(answer);
    });
    asked.pipe(on);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test('keeps the default protection rule if the source does not list its rules', async (t) => {
  const group = await there.newGroup();
  const { owner } = group;
  const project = await there.newProject({ in: group, readme: true });
  const into = await here.newGroup({ owner: ada });
  const entity = {
    source_type: 'project_entity',
    source_full_path: `${group.path}/${project.path}`,
    destination_slug: 'kept',
  };
  const wanted = {
    configuration: { url: await refusing(t, /\/protected_branches/), access_token: owner.token },
    entities: [{ ...entity, destination_namespace: into.path }],
  };
  const { id } = (await expectSuccess(into.owner.post('/bulk_imports', wanted))).body;
  await here.runJobs();
  const [{ status, failures, project_id }] = (await into.owner.get(`/bulk_imports/${id}/entities`)).body;
  assert.deepEqual([status, failures.length, failures[0]?.relation], ['finished', 1, 'protected_branches']);
  const rules = (await into.owner.get(`/projects/${project_id}/protected_branches`)).body;
  assert.deepEqual(
    rules.map(({ name }: { name: string }) => name),
    ['main'],
  );
});
