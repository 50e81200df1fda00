import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestResponse, world } from '#test/support/world.ts';

// Lists of very many rows (contract/conventions.md §6): totals end at 10,000.

const { root, server, newProject } = await world();

/** The audit log of a new project that has this many events, copies of its first. */
async function givenEvents(count: number): Promise<string> {
  const { id } = await newProject({ owner: root });
  await server.services.database.transaction(async (tx) => {
    const { id: _id, ...row } = await tx
      .selectFrom('audit_events')
      .selectAll()
      .where('entity_type', '=', 'Project')
      .where('entity_id', '=', id)
      .executeTakeFirstOrThrow();
    for (let left = count - 1; left > 0; left -= 1_000) {
      const rows = Array.from({ length: Math.min(left, 1_000) }, () => row);
      await tx.insertInto('audit_events').values(rows).execute();
    }
  });
  return `/projects/${id}/audit_events`;
}

const NUMBERS = ['x-page', 'x-next-page', 'x-prev-page', 'x-total', 'x-total-pages'];

/** Rows, numbers and relations of one page of a hundred. */
async function pageOf(path: string, page: number): Promise<unknown[]> {
  const answer: TestResponse = await root.get(path, { per_page: 100, page });
  assert.equal(answer.status, 200);
  const relations = [...String(answer.headers.link).matchAll(/[?&]page=(\d+)[^>]*>; rel="(\w+)"/g)];
  return [
    answer.body.length,
    NUMBERS.map((header) => answer.headers[header]),
    relations.map(([, number, relation]) => `${relation} ${number}`).join(', '),
  ];
}

test('exactly 10,000 rows have totals and a last page', async () => {
  const path = await givenEvents(10_000);
  assert.deepEqual(await pageOf(path, 1), [100, ['1', '2', '', '10000', '100'], 'next 2, first 1, last 100']);
  assert.deepEqual(await pageOf(path, 100), [100, ['100', '', '99', '10000', '100'], 'prev 99, first 1, last 100']);
  assert.deepEqual(await pageOf(path, 101), [0, ['101', '', '', '10000', '100'], 'first 1, last 100']);
});

test('10,001 rows have no totals and no last page, but all other headers', async () => {
  const path = await givenEvents(10_001);
  const unknown = [undefined, undefined];
  assert.deepEqual(await pageOf(path, 1), [100, ['1', '2', '', ...unknown], 'next 2, first 1']);
  assert.deepEqual(await pageOf(path, 100), [100, ['100', '101', '99', ...unknown], 'prev 99, next 101, first 1']);
  assert.deepEqual(await pageOf(path, 101), [1, ['101', '', '100', ...unknown], 'prev 100, first 1']);
  assert.deepEqual(await pageOf(path, 102), [0, ['102', '', '', ...unknown], 'first 1']);
  const head = await root.head(path, { per_page: 100 });
  assert.deepEqual([head.status, head.headers['x-total'], head.headers['x-next-page']], [200, undefined, '2']);
});
