/**
 * Returns the name of the unique index that a failed statement violated (`<table>_pkey` for the primary key), or null for other
 * errors. Both engines report the same name if the index was created with `createIndex(...).unique()`.
 */
export function getViolatedUniqueIndex(error: unknown): string | null {
  if (!(error instanceof Error) || !('constraint' in error) || typeof error.constraint !== 'string') return null;
  // PostgreSQL sets `constraint` for foreign keys and checks too, our SQLite connection only for unique indexes.
  return 'code' in error && (error.code === '23505' || error.code === 'ERR_SQLITE_ERROR') ? error.constraint : null;
}

/** Simulates the violation of a unique index for a rule that an index cannot express. */
export class SimulatedUniqueViolation extends Error {
  readonly code = '23505';
  readonly constraint: string;

  constructor(constraint: string) {
    super(`Rejected like a violation of the unique index ${constraint}`);
    this.constraint = constraint;
  }
}

/** Returns whether a statement referred to a missing row, which was deleted after it was loaded. */
export function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === '23503') || ('errcode' in error && error.errcode === SQLITE_FOREIGN_KEY);
}

const SQLITE_FOREIGN_KEY = 787;
