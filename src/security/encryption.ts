import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Thrown for a text that was not encrypted with this key and context: the key was changed, or the row tampered with. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
}

declare const contextBrand: unique symbol;

/** The place of a secret, such as one row of a column. Only `encrypted-columns.ts` creates contexts, so that it lists all places. */
export type EncryptionContext = string & { readonly [contextBrand]: true };

/**
 * Encrypts a secret that must be readable again (AES-256-GCM): `v1.` and base64url of nonce, ciphertext and tag. `context` names
 * where it is stored, such as `alert_integrations.token:17`, and is authenticated: a value copied to another row cannot be
 * decrypted there.
 */
export function encrypt(key: KeyObject, secret: string, context: EncryptionContext): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(buildAssociatedData(context));
  const encrypted = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${encrypted.toString('base64url')}`;
}

/** Decrypts a secret. Throws DecryptionError if the key, context or text differ from those of `encrypt`. */
export function decrypt(key: KeyObject, text: string, context: string): string {
  const match = /^v1\.([\w-]+)$/.exec(text);
  const encrypted = Buffer.from(match?.[1] ?? '', 'base64url');
  if (encrypted.length < IV_BYTES + TAG_BYTES) throw new DecryptionError(`${context} holds no encrypted secret`);
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(buildAssociatedData(context));
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
  try {
    const plaintextChunks = [decipher.update(encrypted.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(plaintextChunks).toString('utf8');
  } catch {
    throw new DecryptionError(`${context} was encrypted with another key, or changed since`);
  }
}

/** Returns the additional authenticated data. It contains the version, so that a later format cannot pass as this one. */
function buildAssociatedData(context: string): Buffer {
  return Buffer.from(`${VERSION}:${context}`, 'utf8');
}
