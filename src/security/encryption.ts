import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Text that this key, in this place, did not make: the key was changed, or the row was tampered with. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

/**
 * Encrypts a secret that must be shown or used again (AES-256-GCM): `v1.` and base64url of nonce, ciphertext and tag.
 * `place` names where it is stored, such as `alert_integrations.token:17`, and is authenticated with it: a value copied
 * to another row does not decrypt there.
 */
export function encrypt(key: KeyObject, secret: string, place: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(associated(place));
  const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${sealed.toString('base64url')}`;
}

/** The secret again. Throws DecryptionError when key, place or text are not those of `encrypt`. */
export function decrypt(key: KeyObject, text: string, place: string): string {
  const match = /^v1\.([\w-]+)$/.exec(text);
  const sealed = Buffer.from(match?.[1] ?? '', 'base64url');
  if (sealed.length < IV_BYTES + TAG_BYTES) throw new DecryptionError(`${place} holds no encrypted secret`);
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associated(place));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const plain = [decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(plain).toString('utf8');
  } catch {
    throw new DecryptionError(`${place} was encrypted with another key, or changed since`);
  }
}

// The version is authenticated too, so that a later format can't be passed off as this one.
function associated(place: string): Buffer {
  return Buffer.from(`${VERSION}:${place}`, 'utf8');
}
