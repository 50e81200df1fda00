import type { PageRequest } from './pagination.ts';

/**
 * Does the page lie beyond the setting `offset_pagination_limit` (0: off)? The numbers alone decide, however few rows
 * there are: contract/conventions.md §6. The endpoint refuses such a page with `offsetTooFar`.
 */
export function isBeyondOffset(page: PageRequest, limit: number): boolean {
  return limit > 0 && page.kind === 'offset' && page.page * page.perPage > limit;
}

/** The refusal of such a page; `{limit}` is the setting. */
export function offsetTooFar(type: 'User' | 'Group') {
  return [
    405,
    {
      error: `Offset pagination has a maximum allowed offset of {limit} for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`,
    },
  ] as const;
}
