import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A random secret: the prefix and `length` characters of A-Z a-z 0-9 - _, six bits each (20 are 120 bits). */
export function newToken(prefix: string, length = 20): string {
  return (
    prefix +
    randomBytes(Math.ceil((length * 3) / 4))
      .toString('base64url')
      .slice(0, length)
  );
}

/** 256 random bits as 64 hexadecimal digits. */
export function newHexToken(): string {
  return randomBytes(32).toString('hex');
}

/** What is stored of a token that only has to be recognised: hexadecimal SHA-256. Tokens are random, so no salt is needed. */
export function digestToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Are the two secrets the same? The time tells nothing about where or whether they differ, nor about their lengths. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(
    createHash('sha256').update(one, 'utf8').digest(),
    createHash('sha256').update(other, 'utf8').digest(),
  );
}
