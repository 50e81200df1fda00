/** The order that people give things: numbers with gaps between them, into which others are put. */

/** Between two neighbours that nothing has been put between. */
export const GAP = 2 ** 20;

/** A thing in its place; two with the same position follow by id. */
export interface Placed {
  readonly id: number;
  readonly position: number;
}

/**
 * Places for a thing and as many of those that follow it as have to make room. `before` is what it comes behind, null at
 * the front; `after` are some that follow, in their order, `all` says that no others do. Null: there is room only further on.
 */
export function placesAfter(
  id: number,
  before: Placed | null,
  after: readonly Placed[],
  all: boolean,
): readonly Placed[] | null {
  const first = after[0];
  if (first === undefined) return [{ id, position: (before?.position ?? 0) + GAP }];
  if (before === null) return [{ id, position: first.position - GAP }];
  for (const [count, { position: end }] of after.entries()) {
    const step = Math.floor((end - before.position) / (count + 2));
    if (step >= 1 && (count === 0 || step > 1)) return spread(id, before, after.slice(0, count), step);
  }
  return all ? spread(id, before, after, GAP) : null;
}

function spread(id: number, before: Placed, after: readonly Placed[], step: number): Placed[] {
  return [id, ...after.map((one) => one.id)].map((one, index) => ({
    id: one,
    position: before.position + step * (index + 1),
  }));
}
