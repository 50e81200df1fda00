import { type Failure, fail } from '#runtime/failure.ts';
import type { ListPage } from './page.ts';

interface TokenPageOptions<T> {
  /** The name of the last item of the previous page; null for the first page. */
  readonly token: string | null | undefined;
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
export function pageAfterToken<T>(
  sorted: readonly T[],
  options: TokenPageOptions<T>,
): ListPage<T> | Failure<'tokenInvalid'> {
  const { token, getName: nameOf, perPage } = options;
  const start = token ? findStart(sorted, token, options) : 0;
  if (start === null) return fail('tokenInvalid');
  const end = start + perPage;
  const items = sorted.slice(start, end);
  const more = sorted.length > end;
  const next = more ? { page_token: nameOf(items.at(-1) as T) } : null;
  return { items, total: null, hasMore: more, keyset: { next } };
}

function findStart<T>(
  sorted: readonly T[],
  name: string,
  { getName: nameOf, isAfter: isBehind }: TokenPageOptions<T>,
): number | null {
  const index = sorted.findIndex((row) => nameOf(row) === name);
  if (index !== -1) return index + 1;
  if (isBehind === null) return null;
  const next = sorted.findIndex((row) => isBehind(row, name));
  return next === -1 ? sorted.length : next;
}
