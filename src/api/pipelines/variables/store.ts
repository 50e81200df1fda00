import type { KeyObject } from 'node:crypto';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Schema } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import type { VariableOwner } from './owner.ts';

// Reads and writes variables.

type Table = Schema['ci_variables'];
export type CiVariableRow = Selectable<Table>;

/** Returns the columns that identify the owner; both are null for the instance. */
export function toOwnerColumns(owner: VariableOwner): Pick<CiVariableRow, 'project_id' | 'group_id'> {
  return {
    project_id: owner.type === 'project' ? owner.id : null,
    group_id: owner.type === 'group' ? owner.id : null,
  };
}

// index: ci_variables_by_project, ci_variables_by_project_id, ci_variables_by_group, ci_variables_by_group_id,
// ci_variables_of_instance, ci_variables_of_instance_id
function selectVariablesOf(db: Reader, owner: VariableOwner) {
  const query = db.selectFrom('ci_variables');
  if (owner.type === 'instance') return query.where('project_id', 'is', null).where('group_id', 'is', null);
  return query.where(owner.type === 'project' ? 'project_id' : 'group_id', '=', owner.id);
}

/** Returns one page of the owner's variables, the oldest first. */
export function listVariables(db: Reader, owner: VariableOwner, page: OffsetRequest): Promise<Page<CiVariableRow>> {
  return paginate(db, selectVariablesOf(db, owner).selectAll().orderBy('id', 'asc'), page);
}

/** Returns at most two variables with this key; with `scope`, only the one of exactly this scope. */
export function findVariablesByKey(
  db: Reader,
  owner: VariableOwner,
  key: string,
  scope?: string | null | undefined,
): Promise<CiVariableRow[]> {
  const query = selectVariablesOf(db, owner).selectAll().where('key', '=', key).orderBy('id').limit(2);
  return (scope == null ? query : query.where('environment_scope', '=', scope)).execute();
}

/** Returns the variable with this id, or null. index: ci_variables primary key */
export async function findVariable(db: Reader, id: number): Promise<CiVariableRow | null> {
  return (await db.selectFrom('ci_variables').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Counts the variables of the owner. */
export async function countVariables(db: Reader, owner: VariableOwner): Promise<number> {
  const { count } = await selectVariablesOf(db, owner)
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Inserts a variable. Throws the unique violation of the owner's index if the key and scope exist. */
export function insertVariable(
  tx: Transaction,
  row: Omit<Insertable<Table>, 'id' | 'created_at' | 'updated_at'>,
): Promise<CiVariableRow> {
  return tx
    .insertInto('ci_variables')
    .values({ ...row, created_at: tx.now, updated_at: tx.now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Updates a variable. Throws the unique violation of the owner's index if the key and scope exist.
 * index: ci_variables primary key
 */
export function updateVariable(tx: Transaction, id: number, changes: Updateable<Table>): Promise<CiVariableRow> {
  return tx
    .updateTable('ci_variables')
    .set({ ...changes, updated_at: tx.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes a variable. Returns whether it existed. index: ci_variables primary key */
export async function deleteVariable(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.deleteFrom('ci_variables').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

// Encryption of variable values. The encryption context is the owner and key of the variable.

type EncryptionContextColumns = Columns<'ci_variables', 'project_id' | 'group_id' | 'key'>;

const { buildContext } = ENCRYPTED_COLUMNS.ciVariable;

/** Encrypts a value for storage. */
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
