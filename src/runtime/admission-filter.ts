/** Number of recent keys that the filter remembers, four bytes each. */
const SLOTS = 2 ** 15;

/** Only the end of a key is hashed: statements come first in a key, their parameters last. */
const HASHED_CHARACTERS = 128;

/**
 * Decides whether a value is worth caching: only keys that were requested before, recently, are admitted. Most keys are
 * requested once, and caching their values costs more than computing them, because they survive just long enough to be moved
 * through the heap. Hash collisions may admit a new key now and then.
 */
export class AdmissionFilter {
  readonly #slots = new Uint32Array(SLOTS);

  /** Returns whether the key was requested recently, and records this request. */
  admit(key: string): boolean {
    const hash = hashOf(key);
    const slot = hash % SLOTS;
    const isKnown = this.#slots[slot] === hash;
    this.#slots[slot] = hash;
    return isKnown;
  }
}

/** Returns the FNV-1a hash of the end of a text and of its length. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let at = Math.max(0, text.length - HASHED_CHARACTERS); at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
