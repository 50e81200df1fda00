import type { KeyObject } from 'node:crypto';
import type { Columns } from '#database/database.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';

/** Encryption of variable values. The encryption context is the owner and key of the variable. */

type EncryptionContextColumns = Columns<'ci_variables', 'project_id' | 'group_id' | 'key'>;

const { buildContext } = ENCRYPTED_COLUMNS.ciVariable;

export function encryptValue(secretKey: KeyObject, context: EncryptionContextColumns, value: string): string {
  return encrypt(secretKey, value, buildContext(context));
}

/** Returns the value in plain text. */
export function decryptValue(
  secretKey: KeyObject,
  row: EncryptionContextColumns & { readonly encrypted_value: string },
): string {
  return decrypt(secretKey, row.encrypted_value, buildContext(row));
}
