import type { KeyObject } from 'node:crypto';
import type { Reader, Transaction } from '#database/database.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import type { Configuration } from './source.ts';

/** How the source of an import is reached: what of it is secret is never kept as it is. */

const place = (importId: number, what: 'url' | 'token') => `bulk_import_configurations.${what}:${importId}`;

export async function keepConfiguration(
  tx: Transaction,
  key: KeyObject,
  importId: number,
  { url, token }: Configuration,
): Promise<void> {
  await tx
    .insertInto('bulk_import_configurations')
    .values({
      bulk_import_id: importId,
      encrypted_url: encrypt(key, url, place(importId, 'url')),
      encrypted_token: encrypt(key, token, place(importId, 'token')),
    })
    .execute();
}

/** Null: it is gone, because the import has ended. index: bulk_import_configurations primary key */
export async function readConfiguration(db: Reader, key: KeyObject, importId: number): Promise<Configuration | null> {
  const row = await db
    .selectFrom('bulk_import_configurations')
    .select(['encrypted_url', 'encrypted_token'])
    .where('bulk_import_id', '=', importId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    url: decrypt(key, row.encrypted_url, place(importId, 'url')),
    token: decrypt(key, row.encrypted_token, place(importId, 'token')),
  };
}
