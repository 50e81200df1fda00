/**
 * Thrown when a row that another row refers to was deleted between two queries. A read runs again; a write runs its
 * access checks again and answers with their error (`http/server`).
 */
export class RowDeleted extends Error {
  constructor() {
    super('A row was deleted while it was being read');
  }
}

/** Returns the row. Throws `RowDeleted` if it is missing, although an earlier query found it. */
export function requireRow<Row>(row: Row | null | undefined): Row {
  if (row == null) throw new RowDeleted();
  return row;
}
