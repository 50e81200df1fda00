import type { KeyObject } from 'node:crypto';
import type { Reader, Transaction } from '#database/database.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import type { SourceConfiguration } from './source.ts';

/** Stores the URL and the token of a source, both encrypted. */

/** Context to which a ciphertext is bound: one column of one import. */
const getEncryptionContext = (importId: number, column: 'url' | 'token') =>
  `bulk_import_configurations.${column}:${importId}`;

export async function insertConfiguration(
  tx: Transaction,
  key: KeyObject,
  importId: number,
  { url, token }: SourceConfiguration,
): Promise<void> {
  await tx
    .insertInto('bulk_import_configurations')
    .values({
      bulk_import_id: importId,
      encrypted_url: encrypt(key, url, getEncryptionContext(importId, 'url')),
      encrypted_token: encrypt(key, token, getEncryptionContext(importId, 'token')),
    })
    .execute();
}

/**
 * Returns the URL and token, or null if they were deleted, a day after the end of the import.
 * index: bulk_import_configurations primary key
 */
export async function findConfiguration(
  db: Reader,
  key: KeyObject,
  importId: number,
): Promise<SourceConfiguration | null> {
  const row = await db
    .selectFrom('bulk_import_configurations')
    .select(['encrypted_url', 'encrypted_token'])
    .where('bulk_import_id', '=', importId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    url: decrypt(key, row.encrypted_url, getEncryptionContext(importId, 'url')),
    token: decrypt(key, row.encrypted_token, getEncryptionContext(importId, 'token')),
  };
}
