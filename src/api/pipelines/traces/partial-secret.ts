import type { Services } from '#http/services.ts';
import { decrypt, encrypt } from '#security/encryption.ts';

/**
 * The last bytes of a log that may be the start of a secret. They are not readable until more bytes arrive or the log
 * ends. They are encrypted like a secret, because only one byte of it may be missing.
 */

type KeyServices = Pick<Services, 'secretKey'>;

export async function encryptPartialSecret(
  { secretKey }: KeyServices,
  jobId: number,
  heldBytes: Buffer,
): Promise<string | null> {
  return heldBytes.length === 0
    ? null
    : encrypt(await secretKey(), heldBytes.toString('base64'), encryptionContext(jobId));
}

/** Returns the bytes that `seal` encrypted. */
export async function decryptPartialSecret(
  { secretKey }: KeyServices,
  jobId: number,
  encrypted: string | null,
): Promise<Buffer> {
  return encrypted === null
    ? Buffer.alloc(0)
    : Buffer.from(decrypt(await secretKey(), encrypted, encryptionContext(jobId)), 'base64');
}

const encryptionContext = (jobId: number) => `jobs.trace_held:${jobId}`;
