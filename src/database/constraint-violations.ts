/** Why a statement failed, told alike for both engines. */

/**
 * The name of the unique index that a failed statement violated (`<table>_pkey` for the primary key), or null when it
 * failed for another reason. Both engines give the same name when the index was made with `createIndex(...).unique()`.
 */
export function uniqueViolation(error: unknown): string | null {
  if (!(error instanceof Error) || !('constraint' in error) || typeof error.constraint !== 'string') return null;
  // PostgreSQL sets `constraint` for foreign keys and checks too; SQLite's driver for unique indexes only.
  return 'code' in error && (error.code === '23505' || error.code === 'ERR_SQLITE_ERROR') ? error.constraint : null;
}

/** Thrown for what a unique index would refuse if it could say it: told as a violation of that index. */
export class AlikeViolation extends Error {
  readonly code = '23505';
  readonly constraint: string;

  constructor(constraint: string) {
    super(`Refused like a violation of ${constraint}`);
    this.constraint = constraint;
  }
}

/** Whether a statement named a row that is not there: a record that was found has been removed meanwhile. */
export function referenceMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === '23503') || ('errcode' in error && error.errcode === SQLITE_FOREIGN_KEY);
}

const SQLITE_FOREIGN_KEY = 787;
