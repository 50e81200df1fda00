/** Waits for one's turn, and gives the function that ends it. */
export type Turns = () => Promise<() => void>;

/**
 * A fair queue for one thing that only one may hold: `await take()` waits for its turn, and gives the function that ends it.
 */
export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
}
