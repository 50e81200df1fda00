import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { buildImportInput, type FakeSource, serveGroup, startFakeSource } from './fake-source.testing.ts';
import { watchEntity } from './run-entity.ts';
import { findMappedUsers } from './store.ts';

const here = await world();
await here.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true });

const label = (id: number, more: object = {}) => ({ id, name: `label ${id}`, color: '#ff0000', ...more });

interface Made {
  readonly id: number;
  readonly user: Caller;
  readonly at: string;
}

/** Creates an import of the group `acme` with these lists by a new user; its jobs have not run yet. */
async function startImport(
  t: TestContext,
  lists: Parameters<typeof serveGroup>[3],
  more: object = {},
): Promise<Made & { source: FakeSource }> {
  const source = await startFakeSource(t);
  serveGroup(source, 'acme', 7, lists);
  const slug = here.name('copy');
  const user = await here.user();
  const { id } = (await expectSuccess(user.post('/bulk_imports', buildImportInput(source, 'acme', slug, more)))).body;
  return { id, user, source, at: `/groups/${slug}` };
}

async function endOf({ id, user }: Made) {
  const [entity] = (await user.get(`/bulk_imports/${id}/entities`)).body;
  const failures = (await user.get(`/bulk_imports/${id}/entities/${entity.id}/failures`)).body;
  return {
    status: (await user.get(`/bulk_imports/${id}`)).body.status,
    entity,
    failures: failures.map((row: Record<string, unknown>) => [row.relation, row.exception_message]),
  };
}

const labelsOf = async ({ user, at }: Made) =>
  (await user.get(`${at}/labels`)).body.map(({ name }: { name: string }) => name);

const countRequests = ({ requests }: FakeSource, path: string) =>
  requests.filter((one) => one.path.startsWith(path)).length;

test('fetches further pages while `X-Next-Page` or `Link` announces one', async (t) => {
  const source = await startFakeSource(t);
  serveGroup(source, 'acme', 7);
  const next = { link: `<${source.url}/api/v4/groups/7/milestones?page=2>; rel="next"` };
  source.respond(
    '/groups/7/labels',
    { body: [label(1)], headers: { 'x-next-page': '2', 'x-total': '2' } },
    { body: [label(2)] },
  );
  source.respond(
    '/groups/7/milestones',
    { body: [{ id: 1, iid: 1, title: 'One', state: 'active' }], headers: next },
    { body: [] },
  );
  const user = await here.user();
  const slug = here.name('copy');
  const { id } = (await expectSuccess(user.post('/bulk_imports', buildImportInput(source, 'acme', slug)))).body;
  await here.runJobs();
  assert.deepEqual(await labelsOf({ id, user, at: `/groups/${slug}` }), ['label 1', 'label 2']);
  const pages = source.requests.filter(({ path }) => path.startsWith('/groups/7/labels')).map(({ path }) => path);
  const list = '/groups/7/labels?only_group_labels=true&include_ancestor_groups=false';
  assert.deepEqual(pages, [`${list}&page=1&per_page=100`, `${list}&page=2&per_page=100`]);
  assert.equal(countRequests(source, '/groups/7/milestones'), 2);
  const { entity } = await endOf({ id, user, at: '' });
  assert.deepEqual(entity.stats.labels, { source: 2, fetched: 2, imported: 2 });
});

test('retries temporary failures after a delay and stores no element twice', async (t) => {
  const refusal = { status: 429, headers: { 'retry-after': '7' } };
  const lists = { labels: [refusal, { status: 503 }, { status: 502 }, { body: [label(1)] }] };
  const fixture = await startImport(t, lists);
  await here.runJobs();
  for (const [seconds, requestCount] of [
    [6, 1],
    [1, 2],
    [1, 2],
    [1, 3],
    [4, 4],
  ] as const) {
    here.clock.advance(seconds);
    await here.runJobs();
    assert.equal(countRequests(fixture.source, '/groups/7/labels'), requestCount);
  }
  const { status, failures } = await endOf(fixture);
  assert.deepEqual([status, failures, await labelsOf(fixture)], ['finished', [], ['label 1']]);
  assert.equal(countRequests(fixture.source, '/groups/acme'), 2);
});

test('records a failure after ten retries and imports the rest', async (t) => {
  const fixture = await startImport(t, { labels: [{ status: 500 }], milestones: [{ status: 400 }] });
  for (let count = 0; count < 12; count++) {
    await here.runJobs();
    here.clock.advance(30);
  }
  assert.deepEqual(
    ['labels', 'milestones'].map((list) => countRequests(fixture.source, `/groups/7/${list}`)),
    [11, 1],
  );
  const { status, entity, failures } = await endOf(fixture);
  assert.deepEqual([status, entity.status, entity.has_failures], ['finished', 'finished', true]);
  assert.deepEqual(failures, [
    ['labels', 'Unsuccessful response 500 from [FILTERED]'],
    ['milestones', 'Unsuccessful response 400 from [FILTERED]'],
  ]);
  assert.equal((await fixture.user.get(`/bulk_imports/${fixture.id}`)).body.has_failures, true);
});

test('records a failure for an invalid element and imports the next one', async (t) => {
  const long = { title: 'x'.repeat(300), created_at: '2026-01-01T00:00:00Z', web_url: 'https://src.example/m' };
  const fixture = await startImport(t, {
    labels: [{ body: [label(1, { color: 'none' }), label(2), 'text', { id: 3 }, label(2), label(-4, { name: null })] }],
    milestones: [{ body: [{ id: 1, iid: 1, state: 'active', ...long }] }],
  });
  await here.runJobs();
  const { failures } = await endOf(fixture);
  assert.deepEqual(failures, [
    ['labels', 'Validation failed: Color must be a valid color code'],
    ['labels', 'An element is no object'],
    ['labels', 'name is missing, color is missing'],
    ['labels', "Validation failed: Title can't be blank, Title is invalid"],
    ['milestones', 'title is too long (maximum is 255 characters)'],
  ]);
  assert.deepEqual(await labelsOf(fixture), ['label 2']);
});

test('finishes an import of which one entity failed', async (t) => {
  const fixture = await startImport(t, {});
  const user = await here.user();
  const { entities, ...input } = buildImportInput(fixture.source, 'acme', here.name('copy'));
  const absent = { ...entities[0]!, source_full_path: 'absent', destination_slug: here.name('copy') };
  const both = (await expectSuccess(user.post('/bulk_imports', { ...input, entities: [...entities, absent] }))).body.id;
  const twice = (
    await expectSuccess(
      user.post('/bulk_imports', {
        ...input,
        entities: [absent, absent].map((one) => ({ ...one, source_full_path: 'acme' })),
      }),
    )
  ).body.id;
  fixture.source.respond('/groups/acme', { body: { id: 7, full_path: 'acme', name: 'acme', visibility: 'private' } });
  await here.runJobs();
  const statuses = async (id: number) => [
    (await user.get(`/bulk_imports/${id}`)).body.status,
    ...(await user.get(`/bulk_imports/${id}/entities?sort=asc`)).body.map((row: { status: string }) => row.status),
  ];
  assert.deepEqual(await statuses(both), ['finished', 'finished', 'failed']);
  assert.deepEqual(await statuses(twice), ['finished', 'finished', 'failed']);
});

test('fails an import of which no entity was imported', async (t) => {
  const fixture = await startImport(t, {});
  fixture.source.respond('/groups/acme', { status: 404 });
  await here.runJobs();
  const { status, entity, failures } = await endOf(fixture);
  assert.deepEqual([status, entity.status], ['failed', 'failed']);
  assert.deepEqual(failures, [['group', 'Unsuccessful response 404 from [FILTERED]']]);
});

test('skips projects and members if the request excludes them', async (t) => {
  const fixture = await startImport(
    t,
    { projects: [{ body: [{ id: 1, path: 'a', path_with_namespace: 'acme/a' }] }] },
    {
      migrate_projects: false,
      migrate_memberships: false,
    },
  );
  await here.runJobs();
  for (const list of ['projects', 'members']) assert.equal(countRequests(fixture.source, `/groups/7/${list}`), 0);
  assert.equal((await fixture.user.get(`/bulk_imports/${fixture.id}/entities`)).body.length, 1);
});

test('treats a numeric path as a path, not as an id', async (t) => {
  const source = await startFakeSource(t);
  source.respond('/groups/7', { body: { id: 7, full_path: 'acme', name: 'acme', visibility: 'private' } });
  const user = await here.user();
  const answer = await user.post('/bulk_imports', buildImportInput(source, '7', here.name('copy')));
  assert.equal(answer.body.message, "Import failed. '7' not found.");
});

test('stores nothing more after a cancellation and keeps the imported data', async (t) => {
  const cancelled = Promise.withResolvers<() => Promise<unknown>>();
  const labels = async (_request: unknown, response: import('node:http').ServerResponse) => {
    await (await cancelled.promise)();
    response.end(JSON.stringify([label(2)]));
  };
  const fixture = await startImport(t, {
    labels: [{ body: [label(1)], headers: { 'x-next-page': '2' } }, (...all) => void labels(...all)],
  });
  cancelled.resolve(() => expectSuccess(fixture.user.post(`/bulk_imports/${fixture.id}/cancel`)));
  await here.runJobs();
  const { status, entity } = await endOf(fixture);
  assert.deepEqual([status, entity.status, await labelsOf(fixture)], ['canceled', 'canceled', ['label 1']]);
  assert.equal(countRequests(fixture.source, '/groups/7/milestones'), 0);
});

test('stops an import whose user is blocked meanwhile', async (t) => {
  let block = async (): Promise<unknown> => undefined;
  const blocking = (_request: unknown, response: import('node:http').ServerResponse) =>
    void block().then(() => response.end(JSON.stringify([label(2)])));
  const fixture = await startImport(t, { labels: [{ body: [label(1)], headers: { 'x-next-page': '2' } }, blocking] });
  block = () => expectSuccess(here.root.post(`/users/${fixture.user.id}/block`));
  await here.runJobs();
  await expectSuccess(here.root.post(`/users/${fixture.user.id}/unblock`));
  const { status, entity, failures } = await endOf(fixture);
  assert.deepEqual([status, entity.status, await labelsOf(fixture)], ['failed', 'failed', ['label 1']]);
  assert.deepEqual(failures, [['group', 'The importing user is shut out']]);
});

test('limits the number of groups copied at the same time for one user', async (t) => {
  const source = await startFakeSource(t);
  const user = await here.user();
  const entities = here.server.services.database.reader
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('user_id', '=', user.id)
    .where('status', '=', 'started');
  const counts: number[] = [];
  serveGroup(source, 'acme', 7, {
    labels: [
      (_request, response) =>
        void entities.execute().then((rows) => response.end(`[${counts.push(rows.length) && ''}]`)),
    ],
  });
  const imports = [1, 2].map(() => {
    const { configuration, entities: one } = buildImportInput(source, 'acme', '');
    const copies = Array.from({ length: 4 }, () => ({ ...one[0]!, destination_slug: here.name('copy') }));
    return expectSuccess(user.post('/bulk_imports', { configuration, entities: copies }));
  });
  await Promise.all(imports);
  await here.runJobs();
  assert.equal(counts.length, 8);
  assert.equal(Math.max(...counts), 5);
  const statuses = (await user.get('/bulk_imports')).body.map(({ status }: { status: string }) => status);
  assert.deepEqual(statuses, ['finished', 'finished']);
});

test('aborts a call to the source when the import is cancelled', async (t) => {
  const fixture = await startImport(t, { labels: [{ status: 503 }] });
  await here.runJobs();
  const { entity } = await endOf(fixture);
  t.mock.timers.enable({ apis: ['setInterval'] });
  using watched = watchEntity(here.server.services, entity.id, new AbortController().signal);
  t.mock.timers.tick(5000);
  await expectSuccess(fixture.user.post(`/bulk_imports/${fixture.id}/cancel`));
  assert.equal(watched.signal.aborted, false);
  const abortEvent = once(watched.signal, 'abort');
  t.mock.timers.tick(5000);
  await abortEvent;
});

test('finds mapped users for any number of ids', async () => {
  const ids = Array.from({ length: 70_000 }, (_, index) => index + 1);
  assert.equal((await findMappedUsers(here.server.services.database.reader, 1_000_000, ids)).size, 0);
});

test('times out after a day without progress and deletes credentials a day after the end', async (t) => {
  const fixture = await startImport(t, { labels: [{ status: 429, headers: { 'retry-after': '300' } }] });
  await here.runJobs();
  const secrets = () =>
    here.server.services.database.reader
      .selectFrom('bulk_import_configurations')
      .select('bulk_import_id')
      .where('bulk_import_id', '=', fixture.id)
      .execute();
  here.clock.advance(24 * 60 * 60);
  await here.server.services.database.transaction((tx) =>
    tx.deleteFrom('background_jobs').where('kind', '=', 'migrate_bulk_import_entity').execute(),
  );
  await here.runJobs();
  const { status, entity } = await endOf(fixture);
  assert.deepEqual([status, entity.status, (await secrets()).length], ['timeout', 'timeout', 1]);
  here.clock.advance(24 * 60 * 60 + 600);
  await here.runJobs();
  assert.deepEqual(await secrets(), []);
});

test('deletes the imports of a deleted user, active ones too', async (t) => {
  const fixture = await startImport(t, { labels: [{ body: [label(1)] }], milestones: [{ status: 503 }] });
  await here.runJobs();
  await expectSuccess(here.root.delete(`/users/${fixture.user.id}`, { hard_delete: true }));
  await here.runJobs();
  here.clock.advance(60);
  await here.runJobs();
  const { reader } = here.server.services.database;
  for (const table of ['bulk_import_entities', 'bulk_import_objects'] as const) {
    assert.deepEqual(await reader.selectFrom(table).selectAll().where('bulk_import_id', '=', fixture.id).execute(), []);
  }
});
