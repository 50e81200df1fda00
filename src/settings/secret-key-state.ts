import type { Reader, Transaction } from '#database/database.ts';
import { readStoredValue, writeStoredValue } from './settings.ts';

/** The fingerprints by which the database identifies the secret key. It never contains the key. */
export interface SecretKeyState {
  /** Fingerprint of the key that encrypts the stored secrets. */
  readonly fingerprint: string;
  /** An unfinished rotation; absent: all secrets are encrypted with one key. */
  readonly rotation?: KeyRotationState;
}

/** The progress of a rotation, stored with each batch. */
interface KeyRotationState {
  /** Fingerprint of the new key. */
  readonly to: string;
  /** The column of the last batch, as `table.column`; null before the first one. */
  readonly column: string | null;
  /** Primary key of the last row of that batch. */
  readonly lastKey: number;
}

/** Name of the state in the row of the application settings, which ignores other names. */
const NAME = 'secret_key_state';

/** Returns the stored state; null before the first start of a server that stores it. */
export async function loadSecretKeyState(db: Reader): Promise<SecretKeyState | null> {
  return ((await readStoredValue(db, NAME)) ?? null) as SecretKeyState | null;
}

/** Stores the state. */
export async function storeSecretKeyState(tx: Transaction, state: SecretKeyState): Promise<void> {
  await writeStoredValue(tx, NAME, state);
}
