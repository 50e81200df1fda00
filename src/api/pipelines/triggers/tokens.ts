import type { KeyObject } from 'node:crypto';
import { decrypt, encrypt } from '#security/encryption.ts';
import { digestToken, newToken } from '#security/tokens.ts';

/** Tokens of triggers: kept as secrets, because their owners may read them again. */

const PREFIX = 'glptt-';
const LENGTH = 40;
const SHORT = 4;

/** No two have the same digest. */
const placeOf = (digest: string) => `pipeline_triggers.encrypted_token:${digest}`;

/** What is stored of a new token. */
export function newSealedToken(key: KeyObject) {
  const token = newToken(PREFIX, LENGTH);
  const token_digest = digestToken(token);
  return {
    encrypted_token: encrypt(key, token, placeOf(token_digest)),
    token_digest,
    short_token: token.slice(PREFIX.length, PREFIX.length + SHORT),
  };
}

/** The token again. */
export function openToken(
  key: KeyObject,
  row: { readonly encrypted_token: string; readonly token_digest: string },
): string {
  return decrypt(key, row.encrypted_token, placeOf(row.token_digest));
}
