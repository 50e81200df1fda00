import { type Failure, fail } from '#runtime/failure.ts';
import type { ListPage } from './page.ts';

interface TokenPageOptions<T> {
  /** The name of the last item of the previous page; null for the first page. */
  readonly pageToken: string | null | undefined;
  readonly getName: (row: T) => string;
  /**
   * Returns whether a row comes after this name in the order of the list; null for lists that are not ordered by name.
   */
  readonly isAfter: ((row: T, name: string) => boolean) | null;
  readonly perPage: number;
}

/**
 * Returns the page of a list in memory after the row that `page_token` names. If the row was deleted, the page starts after its
 * name; without an order by name this fails with `tokenInvalid`.
 */
export function paginateByToken<T>(
  sortedRows: readonly T[],
  options: TokenPageOptions<T>,
): ListPage<T> | Failure<'tokenInvalid'> {
  const { pageToken: token, getName, perPage } = options;
  const start = token ? findStart(sortedRows, token, options) : 0;
  if (start === null) return fail('tokenInvalid');
  const end = start + perPage;
  const items = sortedRows.slice(start, end);
  const hasMore = sortedRows.length > end;
  const next = hasMore ? { page_token: getName(items.at(-1) as T) } : null;
  return { items, total: null, hasMore, keyset: { next } };
}

/** Returns the index of the first row of the page; null if the named row is gone and the list has no order by name. */
function findStart<T>(
  sortedRows: readonly T[],
  name: string,
  { getName, isAfter }: TokenPageOptions<T>,
): number | null {
  const index = sortedRows.findIndex((row) => getName(row) === name);
  if (index !== -1) return index + 1;
  if (isAfter === null) return null;
  const next = sortedRows.findIndex((row) => isAfter(row, name));
  return next === -1 ? sortedRows.length : next;
}
