import type { KeyObject } from 'node:crypto';
import { decrypt, encrypt } from '#security/encryption.ts';

/** Values as they are stored: each opens under its own key of its own owner alone. */

interface EncryptedVariableKey {
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly key: string;
}

/** Never changes. */
function encryptionContext({ project_id, group_id, key }: EncryptedVariableKey): string {
  const owner = project_id !== null ? `project/${project_id}` : group_id !== null ? `group/${group_id}` : 'instance';
  return `ci_variables.encrypted_value:${owner}/${key}`;
}

export function encryptValue(secretKey: KeyObject, place: EncryptedVariableKey, value: string): string {
  return encrypt(secretKey, value, encryptionContext(place));
}

/** The value again. */
export function decryptValue(
  secretKey: KeyObject,
  row: EncryptedVariableKey & { readonly encrypted_value: string },
): string {
  return decrypt(secretKey, row.encrypted_value, encryptionContext(row));
}
