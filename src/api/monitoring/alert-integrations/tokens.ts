import { type KeyObject, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '#security/encryption.ts';
import { hashToken } from '#security/tokens.ts';

/** Tokens of integrations: encrypted, because users who manage integrations may read them again. */

interface IntegrationKey {
  readonly project_id: number;
  readonly endpoint_identifier: string;
}

/** Returns the encryption context, which is immutable and unique per integration. */
const encryptionContext = ({ project_id, endpoint_identifier }: IntegrationKey) =>
  `alert_integrations.encrypted_token:${project_id}/${endpoint_identifier}`;

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** Generates the last segment of an integration's address. */
export const newEndpointIdentifier = (): string => hex(8);

/** Generates a token of 32 hexadecimal digits and returns its encrypted form and its digest. */
export function generateEncryptedToken(key: KeyObject, integrationKey: IntegrationKey) {
  const token = hex(16);
  return { encrypted_token: encrypt(key, token, encryptionContext(integrationKey)), token_digest: hashToken(token) };
}

/** Decrypts the token. */
export function decryptToken(key: KeyObject, row: IntegrationKey & { readonly encrypted_token: string }): string {
  return decrypt(key, row.encrypted_token, encryptionContext(row));
}
