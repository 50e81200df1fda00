import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { type Caller, done, world } from '#test/support/world.ts';
import { type FakeSource, fakeSource, importOf, sayGroup } from './fake-source.testing.ts';
import { knownUsers } from './store.ts';
import { watchEntity } from './timeout.ts';

const here = await world();
await here.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true });

const label = (id: number, more: object = {}) => ({ id, name: `label ${id}`, color: '#ff0000', ...more });

interface Made {
  readonly id: number;
  readonly user: Caller;
  readonly at: string;
}

/** An import of the group `acme`, whose lists are these, by a new user; nothing of it is done yet. */
async function begun(
  t: TestContext,
  lists: Parameters<typeof sayGroup>[3],
  more: object = {},
): Promise<Made & { source: FakeSource }> {
  const source = await fakeSource(t);
  sayGroup(source, 'acme', 7, lists);
  const slug = here.name('copy');
  const user = await here.user();
  const { id } = (await done(user.post('/bulk_imports', importOf(source, 'acme', slug, more)))).body;
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

const timesAsked = ({ asked }: FakeSource, path: string) => asked.filter((one) => one.path.startsWith(path)).length;

test('pages follow one another while the source names a next one, or links to it', async (t) => {
  const source = await fakeSource(t);
  sayGroup(source, 'acme', 7);
  const next = { link: `<${source.url}/api/v4/groups/7/milestones?page=2>; rel="next"` };
  source.say(
    '/groups/7/labels',
    { body: [label(1)], headers: { 'x-next-page': '2', 'x-total': '2' } },
    { body: [label(2)] },
  );
  source.say(
    '/groups/7/milestones',
    { body: [{ id: 1, iid: 1, title: 'One', state: 'active' }], headers: next },
    { body: [] },
  );
  const user = await here.user();
  const slug = here.name('copy');
  const { id } = (await done(user.post('/bulk_imports', importOf(source, 'acme', slug)))).body;
  await here.work();
  assert.deepEqual(await labelsOf({ id, user, at: `/groups/${slug}` }), ['label 1', 'label 2']);
  const pages = source.asked.filter(({ path }) => path.startsWith('/groups/7/labels')).map(({ path }) => path);
  const list = '/groups/7/labels?only_group_labels=true&include_ancestor_groups=false';
  assert.deepEqual(pages, [`${list}&page=1&per_page=100`, `${list}&page=2&per_page=100`]);
  assert.equal(timesAsked(source, '/groups/7/milestones'), 2);
  const { entity } = await endOf({ id, user, at: '' });
  assert.deepEqual(entity.stats.labels, { source: 2, fetched: 2, imported: 2 });
});

test('what may pass is asked again after its delay, and nothing that is there already is stored twice', async (t) => {
  const refusal = { status: 429, headers: { 'retry-after': '7' } };
  const lists = { labels: [refusal, { status: 503 }, { status: 502 }, { body: [label(1)] }] };
  const made = await begun(t, lists);
  await here.work();
  for (const [seconds, asked] of [
    [6, 1],
    [1, 2],
    [1, 2],
    [1, 3],
    [4, 4],
  ] as const) {
    here.clock.advance(seconds);
    await here.work();
    assert.equal(timesAsked(made.source, '/groups/7/labels'), asked);
  }
  const { status, failures } = await endOf(made);
  assert.deepEqual([status, failures, await labelsOf(made)], ['finished', [], ['label 1']]);
  assert.equal(timesAsked(made.source, '/groups/acme'), 2);
});

test('after ten tries it is a failure, and the rest comes', async (t) => {
  const made = await begun(t, { labels: [{ status: 500 }], milestones: [{ status: 400 }] });
  for (let count = 0; count < 12; count++) {
    await here.work();
    here.clock.advance(30);
  }
  assert.deepEqual(
    ['labels', 'milestones'].map((list) => timesAsked(made.source, `/groups/7/${list}`)),
    [11, 1],
  );
  const { status, entity, failures } = await endOf(made);
  assert.deepEqual([status, entity.status, entity.has_failures], ['finished', 'finished', true]);
  assert.deepEqual(failures, [
    ['labels', 'Unsuccessful response 500 from [FILTERED]'],
    ['milestones', 'Unsuccessful response 400 from [FILTERED]'],
  ]);
  assert.equal((await made.user.get(`/bulk_imports/${made.id}`)).body.has_failures, true);
});

test('one bad element is a failure, and the next one comes', async (t) => {
  const long = { title: 'x'.repeat(300), created_at: '2026-01-01T00:00:00Z', web_url: 'https://src.example/m' };
  const made = await begun(t, {
    labels: [{ body: [label(1, { color: 'none' }), label(2), 'text', { id: 3 }, label(2), label(-4, { name: null })] }],
    milestones: [{ body: [{ id: 1, iid: 1, state: 'active', ...long }] }],
  });
  await here.work();
  const { failures } = await endOf(made);
  assert.deepEqual(failures, [
    ['labels', 'Validation failed: Color must be a valid color code'],
    ['labels', 'An element is no object'],
    ['labels', 'name is missing, color is missing'],
    ['labels', "Validation failed: Title can't be blank, Title is invalid"],
    ['milestones', 'title is too long (maximum is 255 characters)'],
  ]);
  assert.deepEqual(await labelsOf(made), ['label 2']);
});

test('what fails alone fails alone: an import has failed when nothing of it came', async (t) => {
  const made = await begun(t, {});
  const user = await here.user();
  const { entities, ...wanted } = importOf(made.source, 'acme', here.name('copy'));
  const absent = { ...entities[0]!, source_full_path: 'absent', destination_slug: here.name('copy') };
  const both = (await done(user.post('/bulk_imports', { ...wanted, entities: [...entities, absent] }))).body.id;
  const twice = (
    await done(
      user.post('/bulk_imports', {
        ...wanted,
        entities: [absent, absent].map((one) => ({ ...one, source_full_path: 'acme' })),
      }),
    )
  ).body.id;
  made.source.say('/groups/acme', { body: { id: 7, full_path: 'acme', name: 'acme', visibility: 'private' } });
  await here.work();
  const statuses = async (id: number) => [
    (await user.get(`/bulk_imports/${id}`)).body.status,
    ...(await user.get(`/bulk_imports/${id}/entities?sort=asc`)).body.map((row: { status: string }) => row.status),
  ];
  assert.deepEqual(await statuses(both), ['finished', 'finished', 'failed']);
  assert.deepEqual(await statuses(twice), ['finished', 'finished', 'failed']);
});

test('an import of which nothing came has failed', async (t) => {
  const made = await begun(t, {});
  made.source.say('/groups/acme', { status: 404 });
  await here.work();
  const { status, entity, failures } = await endOf(made);
  assert.deepEqual([status, entity.status], ['failed', 'failed']);
  assert.deepEqual(failures, [['group', 'Unsuccessful response 404 from [FILTERED]']]);
});

test('projects and members stay behind where they are not wanted', async (t) => {
  const made = await begun(
    t,
    { projects: [{ body: [{ id: 1, path: 'a', path_with_namespace: 'acme/a' }] }] },
    {
      migrate_projects: false,
      migrate_memberships: false,
    },
  );
  await here.work();
  for (const list of ['projects', 'members']) assert.equal(timesAsked(made.source, `/groups/7/${list}`), 0);
  assert.equal((await made.user.get(`/bulk_imports/${made.id}/entities`)).body.length, 1);
});

test('digits in a path are no id', async (t) => {
  const source = await fakeSource(t);
  source.say('/groups/7', { body: { id: 7, full_path: 'acme', name: 'acme', visibility: 'private' } });
  const user = await here.user();
  const answer = await user.post('/bulk_imports', importOf(source, '7', here.name('copy')));
  assert.equal(answer.body.message, "Import failed. '7' not found.");
});

test('a cancelled import stores nothing more, and keeps what is there', async (t) => {
  const cancelled = Promise.withResolvers<() => Promise<unknown>>();
  const labels = async (_request: unknown, response: import('node:http').ServerResponse) => {
    await (await cancelled.promise)();
    response.end(JSON.stringify([label(2)]));
  };
  const made = await begun(t, {
    labels: [{ body: [label(1)], headers: { 'x-next-page': '2' } }, (...all) => void labels(...all)],
  });
  cancelled.resolve(() => done(made.user.post(`/bulk_imports/${made.id}/cancel`)));
  await here.work();
  const { status, entity } = await endOf(made);
  assert.deepEqual([status, entity.status, await labelsOf(made)], ['canceled', 'canceled', ['label 1']]);
  assert.equal(timesAsked(made.source, '/groups/7/milestones'), 0);
});

test('who is blocked while his import runs gets nothing more by it', async (t) => {
  let block = async (): Promise<unknown> => undefined;
  const blocking = (_request: unknown, response: import('node:http').ServerResponse) =>
    void block().then(() => response.end(JSON.stringify([label(2)])));
  const made = await begun(t, { labels: [{ body: [label(1)], headers: { 'x-next-page': '2' } }, blocking] });
  block = () => done(here.root.post(`/users/${made.user.id}/block`));
  await here.work();
  await done(here.root.post(`/users/${made.user.id}/unblock`));
  const { status, entity, failures } = await endOf(made);
  assert.deepEqual([status, entity.status, await labelsOf(made)], ['failed', 'failed', ['label 1']]);
  assert.deepEqual(failures, [['group', 'The importing user is shut out']]);
});

test('one user has so many groups copied at the same time, whatever he has asked for', async (t) => {
  const source = await fakeSource(t);
  const user = await here.user();
  const entities = here.server.services.database.reader
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('user_id', '=', user.id)
    .where('status', '=', 'started');
  const counts: number[] = [];
  sayGroup(source, 'acme', 7, {
    labels: [
      (_request, response) =>
        void entities.execute().then((rows) => response.end(`[${counts.push(rows.length) && ''}]`)),
    ],
  });
  const imports = [1, 2].map(() => {
    const { configuration, entities: one } = importOf(source, 'acme', '');
    const wished = Array.from({ length: 4 }, () => ({ ...one[0]!, destination_slug: here.name('copy') }));
    return done(user.post('/bulk_imports', { configuration, entities: wished }));
  });
  await Promise.all(imports);
  await here.work();
  assert.equal(counts.length, 8);
  assert.equal(Math.max(...counts), 5);
  const statuses = (await user.get('/bulk_imports')).body.map(({ status }: { status: string }) => status);
  assert.deepEqual(statuses, ['finished', 'finished']);
});

test('whoever waits for a source hears that nobody waits for it any more', async (t) => {
  const made = await begun(t, { labels: [{ status: 503 }] });
  await here.work();
  const { entity } = await endOf(made);
  t.mock.timers.enable({ apis: ['setInterval'] });
  using watched = watchEntity(here.server.services, entity.id, new AbortController().signal);
  t.mock.timers.tick(5000);
  await done(made.user.post(`/bulk_imports/${made.id}/cancel`));
  assert.equal(watched.signal.aborted, false);
  const heard = once(watched.signal, 'abort');
  t.mock.timers.tick(5000);
  await heard;
});

test('users of a source are known however many are asked for', async () => {
  const ids = Array.from({ length: 70_000 }, (_, index) => index + 1);
  assert.equal((await knownUsers(here.server.services.database.reader, 1_000_000, ids)).size, 0);
});

test('what stands still for a day is given up, and secrets are forgotten a day after the end', async (t) => {
  const made = await begun(t, { labels: [{ status: 429, headers: { 'retry-after': '300' } }] });
  await here.work();
  const secrets = () =>
    here.server.services.database.reader
      .selectFrom('bulk_import_configurations')
      .select('bulk_import_id')
      .where('bulk_import_id', '=', made.id)
      .execute();
  here.clock.advance(24 * 60 * 60);
  await here.server.services.database.transaction((tx) =>
    tx.deleteFrom('background_jobs').where('kind', '=', 'migrate_bulk_import_entity').execute(),
  );
  await here.work();
  const { status, entity } = await endOf(made);
  assert.deepEqual([status, entity.status, (await secrets()).length], ['timeout', 'timeout', 1]);
  here.clock.advance(24 * 60 * 60 + 600);
  await here.work();
  assert.deepEqual(await secrets(), []);
});

test('the imports of a deleted user go with him, those under way too', async (t) => {
  const made = await begun(t, { labels: [{ body: [label(1)] }], milestones: [{ status: 503 }] });
  await here.work();
  await done(here.root.delete(`/users/${made.user.id}`, { hard_delete: true }));
  await here.work();
  here.clock.advance(60);
  await here.work();
  const { reader } = here.server.services.database;
  for (const table of ['bulk_import_entities', 'bulk_import_objects'] as const) {
    assert.deepEqual(await reader.selectFrom(table).selectAll().where('bulk_import_id', '=', made.id).execute(), []);
  }
});
