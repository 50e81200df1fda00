import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { fail } from '#runtime/failure.ts';
import { open, signedIn } from '../access/access.ts';
import type { OffsetRequest } from '../lists/pagination.ts';
import { required } from '../parameters/declarations.ts';
import { integer } from '../parameters/types.ts';
import { endpoint } from './endpoint.ts';
import { entity } from './entity.ts';
import { created, noContent, ok, page } from './responses.ts';

// Invalid declarations: the type check of this file fails if one of them compiles.

interface ThingRow {
  readonly id: number;
  readonly title: string;
}

const Thing = entity('Thing', { id: Type.Integer() }).from(({ id }: ThingRow) => ({ id }));
const row: ThingRow = { id: 1, title: 'One' };
const thing = { summary: 'Do it', access: signedIn(), response: ok(Thing) } as const;
const named = { load: () => row, notFound: () => new Error('no thing') } as const;

test('a valid declaration compiles', () => {
  const declared = endpoint({
    put: '/things/:id',
    ...thing,
    access: signedIn().resource({ ...named, name: 'thing', params: { id: required(integer) } }),
    errors: { closed: [409, 'Closed'] },
    uniqueErrors: { things_by_title: 'closed' },
    write: async (uow, { thing, params }) =>
      params.id === thing.id && uow.actor.user.id === 1 ? thing : fail('closed'),
  });
  assert.deepEqual(Object.keys(declared.params), ['id']);
});

test('a resource with a reserved name does not compile', () => {
  for (const name of ['params', 'page', 'base', 'request', 'given'] as const) {
    // @ts-expect-error reserved
    assert.ok(signedIn().resource({ ...named, name }));
  }
  // @ts-expect-error access has a caller already
  assert.ok(signedIn().resource({ ...named, name: 'caller' }));
  const shadowing = open().map(() => ({ request: 1 }));
  // @ts-expect-error what access provides shadows nothing either
  assert.ok(endpoint({ get: '/things', ...thing, access: shadowing, read: () => row }));
});

test('a row of another type than that of the entity does not compile', () => {
  // @ts-expect-error a column is missing
  assert.ok(endpoint({ get: '/things', ...thing, read: () => ({ id: 1 }) }));
  // @ts-expect-error the row, not its shape in a list
  assert.ok(endpoint({ post: '/things', ...thing, response: created(Thing), write: () => [row] }));
  // @ts-expect-error a page, not the items alone
  assert.ok(endpoint({ get: '/things', ...thing, response: page(Thing), read: () => [row] }));
  // @ts-expect-error nothing is nothing
  assert.ok(endpoint({ delete: '/things', ...thing, response: noContent, write: () => ({ done: true }) }));
});

test('a serializer that omits a declared field does not compile', () => {
  // @ts-expect-error title is declared
  assert.ok(entity('Other', { id: Type.Integer(), title: Type.String() }).from(({ id }: ThingRow) => ({ id })));
});

test('a failure that is not declared in errors does not compile', () => {
  const errors = { closed: [409, 'Closed'] } as const;
  // @ts-expect-error open is not a code of the table
  assert.ok(endpoint({ put: '/things', ...thing, errors, write: () => fail('open') }));
  assert.ok(
    endpoint({
      put: '/things',
      ...thing,
      errors,
      // @ts-expect-error nor is it what a unique index may be mapped to
      uniqueErrors: { things_by_title: 'open' },
      write: () => row,
    }),
  );
});

test('services in a write, and a unit of work in a read, do not compile', () => {
  // @ts-expect-error a transaction holds SQL only
  assert.ok(endpoint({ put: '/things', ...thing, write: (_act, { git }) => (git ? row : row) }));
  // @ts-expect-error reading writes nothing
  assert.ok(endpoint({ get: '/things', ...thing, read: (db) => (db.insertInto ? row : row) }));
  // @ts-expect-error one way to do it
  assert.ok(endpoint({ put: '/things', ...thing, read: () => row, write: () => row }));
});

test('an endpoint without keyset gets no keyset page', () => {
  const response = page(Thing);
  const found = { items: [], total: 0, hasMore: false };
  // @ts-expect-error an offset page has no column
  const read = (_db: unknown, call: { page: OffsetRequest }) => (call.page.orderBy ? found : found);
  assert.ok(endpoint({ get: '/things', ...thing, response, read }));
});
