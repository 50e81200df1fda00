import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { insertImportWithFailure } from './fixtures.testing.ts';

const here = await world();
const { server } = here;
const gone = [404, { message: '404 Not found' }];

test('serializes an import and its entities with failures and counts', async () => {
  const user = await here.user();
  const { id, entity } = await insertImportWithFailure(server, user.id);
  const { body: shown } = await user.get(`/bulk_imports/${id}`);
  assert.deepEqual([shown.status, shown.source_type, shown.has_failures], ['finished', 'gitlab', true]);
  const { body } = await user.get(`/bulk_imports/${id}/entities/${entity}`);
  const { created_at, updated_at: _, failures, ...rest } = body;
  assert.deepEqual(rest, {
    ...{ id: entity, bulk_import_id: id, status: 'finished', source_type: 'gitlab', entity_type: 'group' },
    ...{ source_full_path: 'acme/tools', destination_full_path: null, destination_namespace: '' },
    ...{ destination_name: 'tools', destination_slug: 'tools', parent_id: null, namespace_id: null, project_id: null },
    ...{ migrate_projects: true, migrate_memberships: true, has_failures: true },
    stats: { labels: { source: 10, fetched: 10, imported: 9 } },
  });
  const failure = {
    relation: 'labels',
    exception_class: 'BulkImports::NetworkError',
    exception_message: 'Unsuccessful response 400 from [FILTERED]',
    correlation_id_value: '5b0d3f6d2b0d4c63a8b1f0c3a0f2b7aa',
    source_url: null,
    source_title: null,
  };
  const where = { step: 'extractor', pipeline_step: 'extractor', created_at };
  const pipeline_class = 'BulkImports::Common::Pipelines::LabelsPipeline';
  assert.deepEqual(failures, [{ ...failure, ...where, pipeline_class }]);
  assert.deepEqual((await user.get(`/bulk_imports/${id}/entities/${entity}/failures`)).body, [failure]);
  for (const path of ['/bulk_imports/entities', `/bulk_imports/${id}/entities`]) {
    assert.deepEqual((await user.get(path)).body, [body]);
  }
});

test('sorts lists by creation, filters by status and paginates', async () => {
  const user = await here.user();
  const made = [];
  for (const [status, at] of [
    ['finished', '2026-01-01T00:00:00.000Z'],
    ['failed', '2026-01-03T00:00:00.000Z'],
    ['finished', '2026-01-02T00:00:00.000Z'],
  ] as const) {
    made.push(await insertImportWithFailure(server, user.id, { status, at }));
  }
  const [first, last, middle] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
  for (const [path, what] of [
    ['/bulk_imports', 'id'],
    ['/bulk_imports/entities', 'entity'],
  ] as const) {
    const ask = async (query: string) => (await user.get(`${path}?${query}`)).body.map(({ id }: { id: number }) => id);
    assert.deepEqual(await ask(''), [last[what], middle[what], first[what]]);
    assert.deepEqual(await ask('sort=asc'), [first[what], middle[what], last[what]]);
    assert.deepEqual(await ask('status=finished'), [middle[what], first[what]]);
    assert.deepEqual(await ask('per_page=1&page=2'), [middle[what]]);
    const { headers } = await user.get(`${path}?per_page=1&page=2`);
    assert.deepEqual([headers['x-total'], headers['x-next-page'], headers['x-prev-page']], ['3', '3', '1']);
    for (const name of ['sort', 'status']) {
      const { status, body } = await user.get(`${path}?${name}=bad`);
      assert.deepEqual([status, body], [400, { error: `${name} does not have a valid value` }]);
    }
  }
});

test('returns 404 for imports of others, also to administrators', async () => {
  const [user, other] = [await here.user(), await here.user()];
  const { id, entity } = await insertImportWithFailure(server, user.id);
  const own = await insertImportWithFailure(server, other.id);
  for (const who of [other, here.root]) {
    for (const path of ['', '/entities', `/entities/${entity}`, `/entities/${entity}/failures`]) {
      const { status, body } = await who.get(`/bulk_imports/${id}${path}`);
      assert.deepEqual([status, body], gone);
    }
  }
  const ids = (await other.get('/bulk_imports/entities')).body.map((row: { id: number }) => row.id);
  assert.deepEqual(ids, [own.entity]);
  const { status, body } = await other.get(`/bulk_imports/${own.id}/entities/${entity}`);
  assert.deepEqual([status, body], gone);
});

test('returns 400 for invalid ids', async () => {
  const user = await here.user();
  const { id } = await insertImportWithFailure(server, user.id);
  const ask = async (path: string) => (await user.get(path)).body;
  assert.deepEqual(await ask('/bulk_imports/x'), { error: 'import_id is invalid' });
  assert.deepEqual(await ask(`/bulk_imports/${id}/entities/x`), { error: 'entity_id is invalid' });
});
