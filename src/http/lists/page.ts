/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** How many rows there are; null when there are more than 10,000, or when nobody counted. */
  readonly total: number | null;
  /** Is there a page after this one? */
  readonly more: boolean;
  /** Set on keyset pages instead of totals: the parameters that lead to the neighbours. */
  readonly keyset?: { readonly next: Cursor | null; readonly previous?: Cursor | null };
}

/** The query parameters that continue a keyset list, e.g. `{ id_after: '42' }` or `{ cursor: '…' }`. */
export type Cursor = Readonly<Record<string, string>>;
