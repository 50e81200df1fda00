import type { Services } from '#http/services.ts';
import { decrypt, encrypt } from '#security/encryption.ts';

/**
 * The last few bytes of a log that may be the beginning of a secret: nobody reads them until it is known what follows, or
 * that nothing does. They are kept as a secret is, for but a byte of one may be missing.
 */

type KeyServices = Pick<Services, 'secretKey'>;

export async function encryptPartialSecret(
  { secretKey }: KeyServices,
  jobId: number,
  held: Buffer,
): Promise<string | null> {
  return held.length === 0 ? null : encrypt(await secretKey(), held.toString('base64'), encryptionContext(jobId));
}

/** What `seal` was given. */
export async function decryptPartialSecret(
  { secretKey }: KeyServices,
  jobId: number,
  sealed: string | null,
): Promise<Buffer> {
  return sealed === null
    ? Buffer.alloc(0)
    : Buffer.from(decrypt(await secretKey(), sealed, encryptionContext(jobId)), 'base64');
}

const encryptionContext = (jobId: number) => `jobs.trace_held:${jobId}`;
