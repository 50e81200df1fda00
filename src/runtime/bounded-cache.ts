import { LRUCache } from 'lru-cache';

/**
 * Creates an LRU cache with at most `maxSize` values or, with `getSize`, a total size of at most `maxSize`; a larger value
 * is not stored. Memory grows with the content. The library's `max` option would allocate 28 bytes per possible entry from
 * the start, for caches that most servers never fill.
 */
export function createBoundedCache<Value extends {}>(
  maxSize: number,
  getSize: (value: Value) => number = () => 1,
): LRUCache<string, Value> {
  return new LRUCache<string, Value>({ maxSize, sizeCalculation: getSize });
}

/** Number of recent key hashes that the filter stores, four bytes each. */
const SLOTS = 2 ** 15;

/** Number of characters at the end of a key that are hashed: keys begin with a statement and end with its parameters. */
const HASHED_CHARACTERS = 128;

/**
 * Decides whether a value is worth caching: only keys that were requested recently are admitted. Most keys are requested
 * once. Caching their values costs more than computing them: the garbage collector copies them before they are evicted. A hash
 * collision may admit a new key.
 */
export class AdmissionFilter {
  readonly #slots = new Uint32Array(SLOTS);

  /** Returns whether the key was requested recently, and records this request. */
  admit(key: string): boolean {
    const hash = hashKeyEnd(key);
    const slot = hash % SLOTS;
    const isKnown = this.#slots[slot] === hash;
    this.#slots[slot] = hash;
    return isKnown;
  }
}

/** Returns the FNV-1a hash of the end of a text and of its length. */
function hashKeyEnd(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let index = Math.max(0, text.length - HASHED_CHARACTERS); index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
