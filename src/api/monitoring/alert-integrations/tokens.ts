import { type KeyObject, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '#security/encryption.ts';
import { hashToken } from '#security/tokens.ts';

/** Tokens of integrations: kept as secrets, because who manages them may read them again. */

interface Place {
  readonly project_id: number;
  readonly endpoint_identifier: string;
}

/** Never changes, and no two integrations have the same. */
const placeOf = ({ project_id, endpoint_identifier }: Place) =>
  `alert_integrations.encrypted_token:${project_id}/${endpoint_identifier}`;

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** The last segment of an integration's address. */
export const newEndpointIdentifier = (): string => hex(8);

/** What is stored of a new token, of 32 hexadecimal digits. */
export function newSealedToken(key: KeyObject, place: Place) {
  const token = hex(16);
  return { encrypted_token: encrypt(key, token, placeOf(place)), token_digest: hashToken(token) };
}

/** The token again. */
export function openToken(key: KeyObject, row: Place & { readonly encrypted_token: string }): string {
  return decrypt(key, row.encrypted_token, placeOf(row));
}
