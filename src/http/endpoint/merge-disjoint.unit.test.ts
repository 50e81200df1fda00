import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { joining } from './merge-disjoint.ts';

test('what is joined is what spreading gives, key by key', () => {
  const join = joining();
  const cases: readonly [object, object][] = [
    [
      { a: 1, b: [2] },
      { c: undefined, d: null },
    ],
    [
      { a: 5, b: 'six' },
      { c: 7, d: 8 },
    ],
    [{ b: 1 }, { 'a "key"': 2, constructor: 3 }],
    [{}, {}],
  ];
  for (const [one, other] of cases) {
    const joined = join(one, other);
    deepEqual(joined, { ...one, ...other });
    equal(JSON.stringify(joined), JSON.stringify({ ...one, ...other }));
  }
});

test('keys that differ each time are joined all the same', () => {
  const join = joining();
  for (let i = 0; i < 100; i++) deepEqual(join({ [`a${i}`]: i }, { b: i }), { [`a${i}`]: i, b: i });
});

test('the same keys in another order keep that order', () => {
  const join = joining();
  join({ a: 1, b: 2 }, { c: 3 });
  equal(JSON.stringify(join({ b: 2, a: 1 }, { c: 3 })), '{"b":2,"a":1,"c":3}');
});
