import type { KeyObject } from 'node:crypto';
import type { Reader, Transaction } from '#database/database.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import type { SourceConfiguration } from './source.ts';

/** Stores the URL and the token of a source, both encrypted. */

/** Returns the contexts of the secrets of an import. */
const buildContexts = (importId: number) => ({
  url: ENCRYPTED_COLUMNS.bulkImportUrl.buildContext({ bulk_import_id: importId }),
  token: ENCRYPTED_COLUMNS.bulkImportToken.buildContext({ bulk_import_id: importId }),
});

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
      encrypted_url: encrypt(key, url, buildContexts(importId).url),
      encrypted_token: encrypt(key, token, buildContexts(importId).token),
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
    url: decrypt(key, row.encrypted_url, buildContexts(importId).url),
    token: decrypt(key, row.encrypted_token, buildContexts(importId).token),
  };
}
