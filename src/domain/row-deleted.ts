/**
 * Thrown when a referenced row was deleted between two queries. The server then repeats a read request; for a write it repeats the
 * access checks and responds with their error (`http/server`).
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
