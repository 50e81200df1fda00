/** SQLSTATEs of PostgreSQL. */
const POSTGRES_UNIQUE_VIOLATION = '23505';
const POSTGRES_FOREIGN_KEY_VIOLATION = '23503';

/**
 * Returns the name of the unique index that a failed statement violated (`<table>_pkey` for the primary key), or null for
 * other errors. Both engines report the same name for a unique index.
 */
export function getViolatedUniqueIndex(error: unknown): string | null {
  if (!(error instanceof Error) || !('constraint' in error) || typeof error.constraint !== 'string') return null;
  // PostgreSQL sets `constraint` for foreign keys and checks too, our SQLite connection only for unique indexes.
  return 'code' in error && (error.code === POSTGRES_UNIQUE_VIOLATION || error.code === 'ERR_SQLITE_ERROR')
    ? error.constraint
    : null;
}

/** Simulates the violation of a unique index for a rule that an index cannot express. */
export class SimulatedUniqueViolation extends Error {
  readonly code = POSTGRES_UNIQUE_VIOLATION;
  readonly constraint: string;

  constructor(constraint: string) {
    super(`Rejected like a violation of the unique index ${constraint}`);
    this.constraint = constraint;
  }
}

/** Returns whether the engine rejected a statement because of its values: their types, ranges or constraints. */
export function isValueRejection(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // The low byte of an extended result code is the primary result code.
  if ('errcode' in error) return SQLITE_REJECTION_CODES.includes(Number(error.errcode) & 0xff);
  // SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation).
  return 'code' in error && /^2[23]/.test(String(error.code)) && String(error.code).length === 5;
}

/** SQLite's primary result codes for a constraint violation (19) and a type mismatch (20). */
const SQLITE_REJECTION_CODES = [19, 20];

/** Returns whether a statement violated a foreign key, usually because the referenced row was deleted after it was loaded. */
export function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    ('code' in error && error.code === POSTGRES_FOREIGN_KEY_VIOLATION) ||
    ('errcode' in error && error.errcode === SQLITE_FOREIGN_KEY)
  );
}

/** SQLite's extended result code for a foreign key violation. */
export const SQLITE_FOREIGN_KEY = 787;
