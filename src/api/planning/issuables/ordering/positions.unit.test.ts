import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GAP, type Placed, placesAfter } from './positions.ts';

/** The ids in their order after `places` have been taken. */
function orderWith(things: readonly Placed[], places: readonly Placed[]): number[] {
  const now = new Map([...things, ...places].map((thing) => [thing.id, thing]));
  return [...now.values()].sort((a, b) => a.position - b.position || a.id - b.id).map(({ id }) => id);
}

test('a thing comes directly behind another, however little room there is, and nothing else changes its order', () => {
  const gaps = fc.array(fc.constantFrom(1, 1, 1, 2, 3, GAP), { minLength: 1, maxLength: 12 });
  const property = fc.property(gaps, fc.nat(), fc.nat(), (sizes, from, to) => {
    let position = 0;
    const things = sizes.map((size, index) => ({ id: index + 1, position: (position += size) }));
    const moved = things[from % things.length]!;
    const others = things.filter((thing) => thing !== moved);
    const at = to % (others.length + 1);
    const before = others[at - 1] ?? null;
    const places = placesAfter(moved.id, before, others.slice(at), true)!;
    const expected = [...others.slice(0, at), moved, ...others.slice(at)].map(({ id }) => id);
    assert.deepEqual(orderWith(things, places), expected);
  });
  fc.assert(property, { seed: 20260103, numRuns: 500 });
});

test('without room nearby more has to be looked at', () => {
  const tight = [1, 2, 3].map((n) => ({ id: n, position: n }));
  assert.equal(placesAfter(9, tight[0]!, tight.slice(1), false), null);
});
