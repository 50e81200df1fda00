import { LRUCache } from 'lru-cache';

/**
 * Creates an LRU cache with at most `maxSize` values or, with `getSize`, a total size of at most `maxSize`; a larger value is
 * not stored. Memory grows with the content. The library's `max` option would allocate 28 bytes per possible entry at once,
 * for caches that most servers never fill.
 */
export function createBoundedCache<Value extends {}>(
  maxSize: number,
  getSize: (value: Value) => number = countOne,
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize, sizeCalculation: getSize });
}

const countOne = () => 1;
