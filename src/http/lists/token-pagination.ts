import { type Failure, fail } from '#runtime/failure.ts';
import type { Page } from './page.ts';

interface Token<T> {
  /** The name of the last one that was seen; null: from the beginning. */
  readonly token: string | null | undefined;
  readonly nameOf: (row: T) => string;
  /** Does a row come behind this name in the list's order? Null where an order is not one of names. */
  readonly isBehind: ((row: T, name: string) => boolean) | null;
  readonly perPage: number;
}

/**
 * The page of a list that is whole in memory behind the row that `page_token` names. A row that has gone meanwhile still
 * has its place where names are in order; elsewhere its token leads nowhere.
 */
export function pageBehind<T>(sorted: readonly T[], given: Token<T>): Page<T> | Failure<'tokenInvalid'> {
  const { token, nameOf, perPage } = given;
  const start = token ? placeBehind(sorted, token, given) : 0;
  if (start === null) return fail('tokenInvalid');
  const end = start + perPage;
  const items = sorted.slice(start, end);
  const more = sorted.length > end;
  const next = more ? { page_token: nameOf(items.at(-1) as T) } : null;
  return { items, total: null, more, keyset: { next } };
}

function placeBehind<T>(sorted: readonly T[], name: string, { nameOf, isBehind }: Token<T>): number | null {
  const place = sorted.findIndex((row) => nameOf(row) === name);
  if (place !== -1) return place + 1;
  if (isBehind === null) return null;
  const behind = sorted.findIndex((row) => isBehind(row, name));
  return behind === -1 ? sorted.length : behind;
}
