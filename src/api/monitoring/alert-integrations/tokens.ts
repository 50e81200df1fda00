import { type KeyObject, randomBytes } from 'node:crypto';
import type { Columns } from '#database/database.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import { hashToken } from '#security/tokens.ts';

/** Tokens of integrations: encrypted, because users who manage integrations may read them again. */

type EncryptionContextInput = Columns<'alert_integrations', 'project_id' | 'endpoint_identifier'>;

const { buildContext } = ENCRYPTED_COLUMNS.alertIntegrationToken;

const randomHex = (bytes: number) => randomBytes(bytes).toString('hex');

/** Generates the last segment of an integration's address. */
export const generateEndpointIdentifier = (): string => randomHex(8);

/** Generates a token of 32 hexadecimal digits and returns its encrypted form and its digest. */
export function generateEncryptedToken(key: KeyObject, integration: EncryptionContextInput) {
  const token = randomHex(16);
  return { encrypted_token: encrypt(key, token, buildContext(integration)), token_digest: hashToken(token) };
}

/** Decrypts the token. */
export function decryptToken(
  key: KeyObject,
  row: EncryptionContextInput & { readonly encrypted_token: string },
): string {
  return decrypt(key, row.encrypted_token, buildContext(row));
}
