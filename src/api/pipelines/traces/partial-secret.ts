import type { Services } from '#http/services.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';

/**
 * Encryption of the held bytes: the last bytes of a log that may be the start of a secret. Readers get them when more
 * bytes arrive or the log ends. They are encrypted because almost the whole secret may be among them.
 */

const { buildContext } = ENCRYPTED_COLUMNS.heldTraceBytes;

type KeyServices = Pick<Services, 'secretKey'>;

/** Returns the encrypted bytes, or null if there are none. */
export async function encryptPartialSecret(
  { secretKey }: KeyServices,
  jobId: number,
  heldBytes: Buffer,
): Promise<string | null> {
  return heldBytes.length === 0
    ? null
    : encrypt(await secretKey(), heldBytes.toString('base64'), buildContext({ id: jobId }));
}

/** Decrypts the result of `encryptPartialSecret`. */
export async function decryptPartialSecret(
  { secretKey }: KeyServices,
  jobId: number,
  encrypted: string | null,
): Promise<Buffer> {
  return encrypted === null
    ? Buffer.alloc(0)
    : Buffer.from(decrypt(await secretKey(), encrypted, buildContext({ id: jobId })), 'base64');
}
