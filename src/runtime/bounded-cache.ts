import { LRUCache } from 'lru-cache';

/**
 * Creates an LRU cache with a maximum number of values or, with `sizeOf`, a maximum total size; a value larger than that is
 * not stored. Memory grows with the content: with its own `max` option the library allocates 28 bytes per possible entry at
 * once, for caches that most servers never fill.
 */
export function createBoundedCache<Value extends {}>(
  maxEntries: number,
  sizeOf: (value: Value) => number = one,
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: maxEntries, sizeCalculation: sizeOf });
}

const one = () => 1;
