import type { KeyObject } from 'node:crypto';
import { decrypt, encrypt } from '#security/encryption.ts';

/** Encryption of values: the context of each is the key and the owner of the variable. */

interface EncryptedVariableKey {
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly key: string;
}

/** Must never change, because stored values depend on it. */
function encryptionContext({ project_id, group_id, key }: EncryptedVariableKey): string {
  const owner = project_id !== null ? `project/${project_id}` : group_id !== null ? `group/${group_id}` : 'instance';
  return `ci_variables.encrypted_value:${owner}/${key}`;
}

export function encryptValue(secretKey: KeyObject, context: EncryptedVariableKey, value: string): string {
  return encrypt(secretKey, value, encryptionContext(context));
}

/** Decrypts the value. */
export function decryptValue(
  secretKey: KeyObject,
  row: EncryptedVariableKey & { readonly encrypted_value: string },
): string {
  return decrypt(secretKey, row.encrypted_value, encryptionContext(row));
}
