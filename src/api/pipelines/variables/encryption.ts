import type { KeyObject } from 'node:crypto';
import type { Columns } from '#database/database.ts';
import { decrypt, encrypt } from '#security/encryption.ts';

/** Encryption of variable values. The encryption context is the owner and key of the variable. */

type EncryptionContextColumns = Columns<'ci_variables', 'project_id' | 'group_id' | 'key'>;

/** Returns the encryption context. Its format must never change: stored values cannot be decrypted otherwise. */
function toEncryptionContext({ project_id, group_id, key }: EncryptionContextColumns): string {
  const owner = project_id !== null ? `project/${project_id}` : group_id !== null ? `group/${group_id}` : 'instance';
  return `ci_variables.encrypted_value:${owner}/${key}`;
}

export function encryptValue(secretKey: KeyObject, context: EncryptionContextColumns, value: string): string {
  return encrypt(secretKey, value, toEncryptionContext(context));
}

/** Returns the value in plain text. */
export function decryptValue(
  secretKey: KeyObject,
  row: EncryptionContextColumns & { readonly encrypted_value: string },
): string {
  return decrypt(secretKey, row.encrypted_value, toEncryptionContext(row));
}
