import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** Keys for single purposes, each made of an instance's own. */
const made = new WeakMap<KeyObject, Map<string, KeyObject>>();

/** A key as an object: as bytes it costs the runtime ten times as much as the signature. */
function keyFor(purpose: string, key: KeyObject): KeyObject {
  const known = made.get(key) ?? new Map<string, KeyObject>();
  made.set(key, known);
  let own = known.get(purpose);
  if (own === undefined) {
    own = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `hearth ${purpose}`, 32)));
    known.set(purpose, own);
  }
  return own;
}

/** Shows that the instance with this key has said it for this purpose: 43 characters of base64url (HMAC-SHA-256). */
export function signature(key: KeyObject, purpose: string, said: string): string {
  return createHmac('sha256', keyFor(purpose, key)).update(said).digest('base64url');
}
