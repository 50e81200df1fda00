import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Generates a token: the prefix and `length` random base64url characters of six bits each (20 have 120 bits). */
export function generateToken(prefix: string, length = 20): string {
  return (
    prefix +
    randomBytes(Math.ceil((length * 3) / 4))
      .toString('base64url')
      .slice(0, length)
  );
}

/** Generates 256 random bits as 64 hexadecimal digits. */
export function generateHexToken(): string {
  return randomBytes(32).toString('hex');
}

/** Hashes a token for storage: hexadecimal SHA-256. Tokens are random, so no salt is needed. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Returns whether two secrets are equal. Constant time: the timing reveals neither a difference nor the lengths. */
export function secretsEqual(one: string, other: string): boolean {
  return timingSafeEqual(
    createHash('sha256').update(one, 'utf8').digest(),
    createHash('sha256').update(other, 'utf8').digest(),
  );
}
