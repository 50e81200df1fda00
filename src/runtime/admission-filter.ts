/** So many that were asked for lately are known, in four bytes each. */
const SLOTS = 2 ** 15;

/** Of a key its end tells it from others: what is asked for stands behind what it is asked of. */
const LOOKED_AT = 128;

/**
 * What is asked for again and again is worth keeping, and most other things are never asked for again: to keep those costs
 * more than to make them, because they live just long enough to be moved through the heap. A cache that asks here first
 * keeps what has been asked for before, lately. It may take one key for another now and then.
 */
export class AskedBefore {
  readonly #slots = new Uint32Array(SLOTS);

  /** Was this asked for before? From now on it was. */
  note(key: string): boolean {
    const hash = hashOf(key);
    const slot = hash % SLOTS;
    const known = this.#slots[slot] === hash;
    this.#slots[slot] = hash;
    return known;
  }
}

/** FNV-1a of the end of a text, and of its length. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length;
  for (let at = Math.max(0, text.length - LOOKED_AT); at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
