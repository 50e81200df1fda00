import { COUNT_LIMIT } from '#database/page.ts';
import type { ListPage } from './page.ts';
import type { PageRequest } from './pagination.ts';

/** Returns one page of a list in memory (refs, diffs). As in every list, more than 10,000 items have no total. */
export function paginateInMemory<T>(rows: readonly T[], page: PageRequest): ListPage<T> {
  // A list in memory has no cursor, so a keyset request gets the first page.
  const pageNumber = page.kind === 'offset' ? page.page : 1;
  const start = (pageNumber - 1) * page.perPage;
  const end = start + page.perPage;
  const total = rows.length > COUNT_LIMIT ? null : rows.length;
  return { items: rows.slice(start, end), total, hasMore: rows.length > end };
}
