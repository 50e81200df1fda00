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
