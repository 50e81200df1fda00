/** Initial gap between the positions of two neighbors. Gaps let an item be inserted without changing other positions. */
export const POSITION_GAP = 2 ** 20;

/** The position of an item; equal positions are sorted by id. */
export interface ItemPosition {
  readonly id: number;
  readonly position: number;
}

/**
 * Returns positions for an item and for the following items that must be shifted. The item is placed after `previous` (null: first).
 * `followers` are the next items in order, `isComplete` if no others follow. Returns null if there is no gap among them.
 */
export function computePositions(
  id: number,
  previous: ItemPosition | null,
  followers: readonly ItemPosition[],
  isComplete: boolean,
): readonly ItemPosition[] | null {
  const first = followers[0];
  if (first === undefined) return [{ id, position: (previous?.position ?? 0) + POSITION_GAP }];
  if (previous === null) return [{ id, position: first.position - POSITION_GAP }];
  for (const [shiftedCount, { position: nextPosition }] of followers.entries()) {
    const step = Math.floor((nextPosition - previous.position) / (shiftedCount + 2));
    // Shifted followers must leave gaps (step > 1); else the next insertion would shift them again.
    if (step >= 1 && (shiftedCount === 0 || step > 1))
      return spreadAfter(id, previous, followers.slice(0, shiftedCount), step);
  }
  return isComplete ? spreadAfter(id, previous, followers, POSITION_GAP) : null;
}

function spreadAfter(
  id: number,
  previous: ItemPosition,
  followers: readonly ItemPosition[],
  step: number,
): ItemPosition[] {
  return [id, ...followers.map((item) => item.id)].map((itemId, index) => ({
    id: itemId,
    position: previous.position + step * (index + 1),
  }));
}
