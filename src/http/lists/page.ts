/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** The number of all rows; null if there are more than 10,000, or if they were not counted. */
  readonly total: number | null;
  /** Whether there is a next page. */
  readonly hasMore: boolean;
  /** Set on keyset pages instead of totals: the parameters of the next and previous page. */
  readonly keyset?: { readonly next: Cursor | null; readonly previous?: Cursor | null };
}

/** The query parameters that continue a keyset list, e.g. `{ id_after: '42' }` or `{ cursor: '…' }`. */
export type Cursor = Readonly<Record<string, string>>;
