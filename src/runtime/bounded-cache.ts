import { LRUCache } from 'lru-cache';

/**
 * A cache of at most so many values, of which those that were longest unused go; or of values that are at most so large
 * together, of which one that alone is larger is not kept. It grows with what it holds: given a
 * number of entries as such, the library takes the memory for all of them at once, 28 bytes each and a tenth of a
 * microsecond, for caches that most servers never fill.
 */
export function keptAtMost<Value extends {}>(
  most: number,
  sizeOf: (value: Value) => number = one,
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize: most, sizeCalculation: sizeOf });
}

const one = () => 1;
