import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Schema } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type ClientKeyRow = Omit<Selectable<Schema['client_keys']>, 'created_at'>;

const COLUMNS = ['id', 'project_id', 'public_key', 'active'] as const;

/** Returns one page of a project's keys, oldest first. index: client_keys_by_project */
export function listKeys(db: Reader, projectId: number, page: OffsetRequest): Promise<Page<ClientKeyRow>> {
  const query = db.selectFrom('client_keys').select(COLUMNS).where('project_id', '=', projectId);
  return paginate(db, query.orderBy('id', 'asc'), page);
}

/** Returns the key of a project with this id, or null. index: client_keys primary key */
export async function findKey(db: Reader, projectId: number, id: number): Promise<ClientKeyRow | null> {
  const query = db.selectFrom('client_keys').select(COLUMNS).where('id', '=', id).where('project_id', '=', projectId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Generates a public key. SDKs accept only letters, digits and underscores. */
const generatePublicKey = () => `glet_${randomBytes(16).toString('hex')}`;

/** Creates an active key for a project. */
export async function insertKey(tx: Transaction, projectId: number): Promise<ClientKeyRow> {
  return tx
    .insertInto('client_keys')
    .values({ project_id: projectId, public_key: generatePublicKey(), active: true, created_at: tx.now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Creates a key if the project has no active key. index: client_keys_by_project */
export async function ensureActiveKey(tx: Transaction, projectId: number): Promise<void> {
  const activeKey = await tx
    .selectFrom('client_keys')
    .select('id')
    .where('project_id', '=', projectId)
    .where('active', '=', true)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (activeKey === undefined) await insertKey(tx, projectId);
}

/** Deletes a key; returns null if it was already deleted. index: client_keys primary key */
export async function deleteKey(tx: Transaction, id: number): Promise<ClientKeyRow | null> {
  return (await tx.deleteFrom('client_keys').where('id', '=', id).returning(COLUMNS).executeTakeFirst()) ?? null;
}
