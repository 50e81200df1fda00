import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { computePositions, type ItemPosition, POSITION_GAP } from './manual-order.ts';

/** Returns the ids in their order after the new positions were applied. */
function orderWith(items: readonly ItemPosition[], places: readonly ItemPosition[]): number[] {
  const now = new Map([...items, ...places].map((item) => [item.id, item]));
  return [...now.values()].sort((a, b) => a.position - b.position || a.id - b.id).map(({ id }) => id);
}

test('an item is placed directly after another with any gaps, and the other items keep their order', () => {
  const gaps = fc.array(fc.constantFrom(1, 1, 1, 2, 3, POSITION_GAP), { minLength: 1, maxLength: 12 });
  const property = fc.property(gaps, fc.nat(), fc.nat(), (sizes, from, to) => {
    let position = 0;
    const items = sizes.map((size, index) => ({ id: index + 1, position: (position += size) }));
    const moved = items[from % items.length]!;
    const others = items.filter((item) => item !== moved);
    const at = to % (others.length + 1);
    const before = others[at - 1] ?? null;
    const places = computePositions(moved.id, before, others.slice(at), true)!;
    const expected = [...others.slice(0, at), moved, ...others.slice(at)].map(({ id }) => id);
    assert.deepEqual(orderWith(items, places), expected);
  });
  fc.assert(property, { seed: 20260103, numRuns: 500 });
});

test('returns null if only later items leave a gap', () => {
  const tight = [1, 2, 3].map((n) => ({ id: n, position: n }));
  assert.equal(computePositions(9, tight[0]!, tight.slice(1), false), null);
});
