import type { Page } from './answers.ts';
import type { PageRequest } from './pagination.ts';

/** One page of a list that is whole in memory (refs, tree entries, diffs). */
export function slice<T>(all: readonly T[], page: PageRequest): Page<T> {
  const number = page.kind === 'offset' ? page.page : 1;
  const start = (number - 1) * page.perPage;
  const end = start + page.perPage;
  return { items: all.slice(start, end), total: all.length, more: all.length > end };
}
