import type { KeyObject } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Reader, Transaction } from '#database/database.ts';
import { ENCRYPTED_COLUMNS, type EncryptedColumn } from '#security/encrypted-columns.ts';
import { DecryptionError, decrypt, encrypt } from '#security/encryption.ts';
import { computeKeyFingerprint } from '#security/key-file.ts';
import { loadSecretKeyState, storeSecretKeyState } from './secret-key-state.ts';

/** Rows per transaction of a rotation. */
const BATCH_SIZE = 200;

/** A declared column, without the types of its table. */
interface AnyColumn extends Omit<EncryptedColumn<never, never>, 'table' | 'contextColumns' | 'buildContext'> {
  readonly table: string;
  readonly contextColumns: readonly string[];
  readonly buildContext: (row: SecretRow) => ReturnType<EncryptedColumn<never, never>['buildContext']>;
}

/** A row of any table with a secret: its primary key, the encrypted value, and the columns of the context. */
type SecretRow = Readonly<Record<string, unknown>> & { readonly secret_row_key: number; readonly secret_value: string };

const columns = Object.values(ENCRYPTED_COLUMNS) as unknown as readonly AnyColumn[];

const nameOf = ({ table, column }: AnyColumn) => `${table}.${column}`;

/** Stored secrets of one column that cannot be decrypted. */
export interface UnreadableSecrets {
  /** `table.column`. */
  readonly column: string;
  readonly count: number;
  /** Primary key of the first of them. */
  readonly firstKey: number;
}

/** Returns the columns with secrets that none of these keys decrypts, and how many secrets there are. */
export async function checkSecrets(
  db: Reader,
  keys: readonly KeyObject[],
): Promise<{ readonly total: number; readonly unreadable: readonly UnreadableSecrets[] }> {
  let total = 0;
  const unreadable: UnreadableSecrets[] = [];
  for (const column of columns) {
    const failedKeys: number[] = [];
    for (let lastKey = 0; ; ) {
      const rows = await readBatch(db, column, lastKey);
      total += rows.length;
      failedKeys.push(...rows.filter((row) => findKey(keys, column, row) === null).map(getKey));
      if (rows.length < BATCH_SIZE) break;
      lastKey = getKey(rows.at(-1)!);
    }
    if (failedKeys.length > 0)
      unreadable.push({ column: nameOf(column), count: failedKeys.length, firstKey: failedKeys[0]! });
  }
  return { total, unreadable };
}

const getKey = (row: SecretRow) => Number(row.secret_row_key);

/** Reads the next rows with a secret, by primary key. */
async function readBatch(db: Reader, column: AnyColumn, lastKey: number): Promise<SecretRow[]> {
  const { table, primaryKey, contextColumns } = column;
  const selected: RawBuilder<unknown>[] = [
    sql`${sql.ref(primaryKey)} as secret_row_key`,
    sql`${sql.ref(column.column)} as secret_value`,
    ...contextColumns.map((name) => sql`${sql.ref(name)}`),
  ];
  const { rows } = await sql<SecretRow>`select ${sql.join(selected)} from ${sql.table(table)}
    where ${sql.ref(primaryKey)} > ${lastKey} and ${sql.ref(column.column)} is not null
    order by ${sql.ref(primaryKey)} limit ${BATCH_SIZE}`.execute(db);
  return rows;
}

/** Returns the first key that decrypts the secret of the row, with the secret; null if none does. */
function findKey(
  keys: readonly KeyObject[],
  column: AnyColumn,
  row: SecretRow,
): { key: KeyObject; secret: string } | null {
  for (const key of keys) {
    try {
      return { key, secret: decrypt(key, row.secret_value, column.buildContext(row)) };
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
    }
  }
  return null;
}

interface KeyRotation {
  /** Null: the old key is lost, and all its secrets stay unreadable. */
  readonly oldKey: KeyObject | null;
  readonly newKey: KeyObject;
}

/** Marks the rotation as begun: from now on no server starts. Has no effect if the same rotation has begun before. */
export async function beginRotation(
  database: Database,
  { newKey }: KeyRotation,
  oldFingerprint: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const state = await loadSecretKeyState(tx);
    if (state?.rotation !== undefined) return;
    const rotation = { to: computeKeyFingerprint(newKey), column: null, lastKey: 0 };
    await storeSecretKeyState(tx, { fingerprint: oldFingerprint, rotation });
  });
}

/** Cancels a rotation before its first batch. */
export async function cancelRotation(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    const state = await loadSecretKeyState(tx);
    if (state?.rotation?.column === null) await storeSecretKeyState(tx, { fingerprint: state.fingerprint });
  });
}

/**
 * Encrypts all secrets with the new key, in batches. Each batch is a transaction that also stores the position, so that a repeated
 * call continues after the last batch. Secrets that neither key decrypts stay as they are. Returns the number of encrypted
 * secrets of this call.
 */
export async function encryptWithNewKey(
  database: Database,
  keys: KeyRotation,
  onBatch: (count: number) => void,
): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await database.transaction((tx) => encryptNextBatch(tx, keys));
    if (count === null) return total;
    total += count;
    onBatch(total);
  }
}

/** Encrypts the next batch and stores the position. Returns null after the last one. */
async function encryptNextBatch(tx: Transaction, { oldKey, newKey }: KeyRotation): Promise<number | null> {
  const state = await loadSecretKeyState(tx);
  if (state?.rotation === undefined) return null;
  const { column: columnName, lastKey } = state.rotation;
  const start = Math.max(
    0,
    columns.findIndex((column) => nameOf(column) === columnName),
  );
  for (const [index, column] of columns.slice(start).entries()) {
    const rows = await readBatch(tx, column, index === 0 ? lastKey : 0);
    if (rows.length === 0) continue;
    for (const row of rows) await encryptRow(tx, column, row, oldKey === null ? [newKey] : [oldKey, newKey], newKey);
    const rotation = { ...state.rotation, column: nameOf(column), lastKey: getKey(rows.at(-1)!) };
    await storeSecretKeyState(tx, { ...state, rotation });
    return rows.length;
  }
  return null;
}

async function encryptRow(
  tx: Transaction,
  column: AnyColumn,
  row: SecretRow,
  keys: readonly KeyObject[],
  newKey: KeyObject,
): Promise<void> {
  const foundKey = findKey(keys, column, row);
  if (foundKey === null || foundKey.key === newKey) return;
  const encrypted = encrypt(newKey, foundKey.secret, column.buildContext(row));
  await sql`update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${encrypted}
    where ${sql.ref(column.primaryKey)} = ${getKey(row)}`.execute(tx);
}

/** Marks the rotation as complete: the new key is the key of the database. */
export function completeRotation(tx: Transaction, { newKey }: KeyRotation): Promise<void> {
  return storeSecretKeyState(tx, { fingerprint: computeKeyFingerprint(newKey) });
}
