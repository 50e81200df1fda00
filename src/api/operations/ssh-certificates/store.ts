import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { hasRow, type Page, paginate } from '#database/page.ts';
import type { Schema } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

type Row = Selectable<Schema['ssh_certificates']>;
export type Certificate = Pick<Row, 'id' | 'title' | 'key' | 'created_at'>;

const COLUMNS = ['id', 'title', 'key', 'created_at'] as const;

/** Returns a page of a group's certificates, oldest first. index: ssh_certificates_by_group */
export function listCertificates(db: Reader, groupId: number, page: OffsetRequest): Promise<Page<Certificate>> {
  const query = db.selectFrom('ssh_certificates').select(COLUMNS).where('group_id', '=', groupId);
  return paginate(db, query.orderBy('id', 'asc'), page);
}

/** Returns the group's certificate with this id, or null. index: ssh_certificates primary key */
export async function findCertificate(db: Reader, groupId: number, id: number): Promise<Certificate | null> {
  const query = db.selectFrom('ssh_certificates').select(COLUMNS).where('id', '=', id).where('group_id', '=', groupId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns whether any group has a certificate with this key. index: ssh_certificates_by_fingerprint */
export function isFingerprintRegistered(db: Reader, fingerprint: string): Promise<boolean> {
  return hasRow(db.selectFrom('ssh_certificates').select('id').where('fingerprint', '=', fingerprint));
}

/** Inserts a certificate. A key that any group already has violates `ssh_certificates_by_fingerprint`. */
export function insertCertificate(
  tx: Transaction,
  certificate: Pick<Row, 'group_id' | 'title' | 'key' | 'fingerprint'>,
): Promise<Certificate> {
  return tx
    .insertInto('ssh_certificates')
    .values({ ...certificate, created_at: tx.now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Deletes a certificate. Returns whether it existed. index: ssh_certificates primary key */
export async function deleteCertificateRow(tx: Transaction, id: number): Promise<boolean> {
  const deletedRow = await tx.deleteFrom('ssh_certificates').where('id', '=', id).returning('id').executeTakeFirst();
  return deletedRow !== undefined;
}

/** Deletes and returns the certificates of a group, if it is a subgroup. index: ssh_certificates_by_group, namespaces primary key */
export function deleteCertificatesOfSubgroup(tx: Transaction, groupId: number): Promise<Certificate[]> {
  const subgroupId = tx
    .selectFrom('namespaces')
    .select('id')
    .where('id', '=', groupId)
    .where('parent_id', 'is not', null);
  return tx.deleteFrom('ssh_certificates').where('group_id', 'in', subgroupId).returning(COLUMNS).execute();
}
