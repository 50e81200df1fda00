import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** Derived keys by purpose, for each key of an instance. */
const derivedKeys = new WeakMap<KeyObject, Map<string, KeyObject>>();

/** Returns the key of a purpose, cached as a key object: importing raw bytes costs ten times as much as the signature. */
function deriveKey(purpose: string, key: KeyObject): KeyObject {
  const keysByPurpose = derivedKeys.get(key) ?? new Map<string, KeyObject>();
  derivedKeys.set(key, keysByPurpose);
  let derivedKey = keysByPurpose.get(purpose);
  if (derivedKey === undefined) {
    derivedKey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `hearth ${purpose}`, 32)));
    keysByPurpose.set(purpose, derivedKey);
  }
  return derivedKey;
}

/** Signs a text for a purpose with a key derived from the instance's key: HMAC-SHA-256 as 43 characters of base64url. */
export function sign(key: KeyObject, purpose: string, text: string): string {
  return createHmac('sha256', deriveKey(purpose, key)).update(text).digest('base64url');
}
