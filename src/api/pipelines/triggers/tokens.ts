import type { KeyObject } from 'node:crypto';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import { generateToken, hashToken } from '#security/tokens.ts';

/** Trigger tokens: stored encrypted, because their owners may read them again. */

const PREFIX = 'glptt-';
const LENGTH = 40;
const SHORT_TOKEN_LENGTH = 4;

const { buildContext } = ENCRYPTED_COLUMNS.triggerToken;

/** Generates a token and returns the columns to store. */
export function generateEncryptedToken(key: KeyObject) {
  const token = generateToken(PREFIX, LENGTH);
  const token_digest = hashToken(token);
  return {
    encrypted_token: encrypt(key, token, buildContext({ token_digest })),
    token_digest,
    short_token: token.slice(PREFIX.length, PREFIX.length + SHORT_TOKEN_LENGTH),
  };
}

/** Returns the token in plain text. */
export function decryptToken(
  key: KeyObject,
  row: { readonly encrypted_token: string; readonly token_digest: string },
): string {
  return decrypt(key, row.encrypted_token, buildContext(row));
}
