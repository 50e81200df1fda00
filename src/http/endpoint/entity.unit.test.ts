import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { entity, type SerializationContext } from './entity.ts';

const to = {} as SerializationContext;

test('loads related rows once for all rows, and not at all for none', async () => {
  const loads: (readonly number[])[] = [];
  const Counted = entity('Counted', { value: Type.Integer(), sum: Type.Integer() }).from(
    async (rows: readonly number[]) => {
      loads.push(rows);
      return rows.reduce((one, other) => one + other, 0);
    },
    (value, _to, sum) => ({ value, sum }),
  );
  assert.deepEqual(await Counted.serializeAll([], to), []);
  assert.deepEqual(await Counted.serializeAll([1, 2], to), [
    { value: 1, sum: 3 },
    { value: 2, sum: 3 },
  ]);
  assert.deepEqual(loads, [[1, 2]]);
});

const fields = { id: Type.Integer(), sum: Type.Integer(), name: Type.String(), note: Type.Optional(Type.String()) };

test('copies columns of the same names and no others', () => {
  const Copied = entity('Copied', { id: Type.Integer(), name: Type.String() }).columns();
  const row = { secret: 'x', name: 'a', id: 1 };
  assert.equal(JSON.stringify(Copied.serialize(row, to)), '{"id":1,"name":"a"}');
});

test('orders copied and serialized fields as in the schema, and omits absent optional fields', () => {
  const Mixed = entity('Mixed', fields)
    .columns('name', 'id')
    .from(({ note }: { readonly id: number; readonly name: string; readonly note: string | null }) => ({
      ...(note === null ? {} : { note }),
      sum: 3,
    }));
  assert.equal(JSON.stringify(Mixed.serialize({ name: 'a', note: null, id: 1 }, to)), '{"id":1,"sum":3,"name":"a"}');
  assert.equal(
    JSON.stringify(Mixed.serialize({ name: 'a', note: 'n', id: 1 }, to)),
    '{"id":1,"sum":3,"name":"a","note":"n"}',
  );
});

test('passes the loaded relations to the serializer together with the columns', async () => {
  const Loaded = entity('Loaded', fields)
    .columns('id', 'name')
    .from(
      async (rows: readonly { readonly id: number; readonly name: string }[]) => rows.length,
      (_row, _to, sum) => ({ sum }),
    );
  assert.equal(JSON.stringify(await Loaded.serializeAll([{ id: 1, name: 'a' }], to)), '[{"id":1,"sum":1,"name":"a"}]');
});

test('rejects at compile time what the schema or the row lacks', () => {
  interface Row {
    readonly id: number;
    readonly name: string;
  }
  const builder = entity('Wrong', fields);
  // @ts-expect-error: the schema has no field `title`
  builder.columns('title');
  // @ts-expect-error: the row has no column `name`
  builder.columns('name').from((_row: Pick<Row, 'id'>) => ({ id: 1, sum: 1 }));
  // @ts-expect-error: nothing returns `sum`
  builder.columns('name', 'id').from((_row: Row) => ({}));
});
