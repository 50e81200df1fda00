/** Manual order: positions with gaps, so that items can be inserted without changing the others. */

/** Initial gap between two neighbours. */
export const POSITION_GAP = 2 ** 20;

/** The position of an item; equal positions are sorted by id. */
export interface ItemPosition {
  readonly id: number;
  readonly position: number;
}

/**
 * Returns positions for an item and for the following items that have to make room. The item is placed after `before` (null: first).
 * `after` holds the next items in order; `all` says that no others follow. Returns null if only later items leave a gap.
 */
export function computePositions(
  id: number,
  before: ItemPosition | null,
  after: readonly ItemPosition[],
  all: boolean,
): readonly ItemPosition[] | null {
  const first = after[0];
  if (first === undefined) return [{ id, position: (before?.position ?? 0) + POSITION_GAP }];
  if (before === null) return [{ id, position: first.position - POSITION_GAP }];
  for (const [count, { position: end }] of after.entries()) {
    const step = Math.floor((end - before.position) / (count + 2));
    if (step >= 1 && (count === 0 || step > 1)) return distribute(id, before, after.slice(0, count), step);
  }
  return all ? distribute(id, before, after, POSITION_GAP) : null;
}

function distribute(id: number, before: ItemPosition, after: readonly ItemPosition[], step: number): ItemPosition[] {
  return [id, ...after.map((one) => one.id)].map((one, index) => ({
    id: one,
    position: before.position + step * (index + 1),
  }));
}
