import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { createMerger } from './merge-disjoint.ts';

test('merges like a spread, key by key', () => {
  const join = createMerger();
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

test('merges parts whose keys differ each time', () => {
  const join = createMerger();
  for (let i = 0; i < 100; i++) deepEqual(join({ [`a${i}`]: i }, { b: i }), { [`a${i}`]: i, b: i });
});

test('keeps the order of the keys', () => {
  const join = createMerger();
  join({ a: 1, b: 2 }, { c: 3 });
  equal(JSON.stringify(join({ b: 2, a: 1 }, { c: 3 })), '{"b":2,"a":1,"c":3}');
});
