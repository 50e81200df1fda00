import { countLimit } from '#database/page.ts';
import type { Page } from './page.ts';
import type { PageRequest } from './pagination.ts';

/** One page of a list that is whole in memory (refs, diffs). More than 10,000 have no total, as in every list. */
export function slice<T>(all: readonly T[], page: PageRequest): Page<T> {
  const number = page.kind === 'offset' ? page.page : 1;
  const start = (number - 1) * page.perPage;
  const end = start + page.perPage;
  const total = all.length > countLimit ? null : all.length;
  return { items: all.slice(start, end), total, more: all.length > end };
}
