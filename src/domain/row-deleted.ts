/**
 * Thrown when a row is not there any more that another one, read a statement before, belongs to: somebody has taken both
 * away in between. A read runs again as a whole; whoever writes hears what he would hear at the door now
 * (`http/serving`).
 */
export class RowDeleted extends Error {
  constructor() {
    super('A row went away while it was being read');
  }
}

/** This row, which was there a statement before. Throws `RowDeleted`. */
export function stillThere<Row>(row: Row | null | undefined): Row {
  if (row == null) throw new RowDeleted();
  return row;
}
