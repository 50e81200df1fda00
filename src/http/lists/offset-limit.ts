import type { Reader } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import type { PageRequest } from './pagination.ts';

/**
 * Fails for a page beyond the setting `offset_pagination_limit` (0: no limit), even if the list has fewer rows
 * (contract/conventions.md §6). Returns null otherwise.
 */
export async function checkOffsetLimit(db: Reader, page: PageRequest): Promise<Failure<'offsetTooFar'> | null> {
  const { offset_pagination_limit: limit } = await loadSettings(db);
  const isBeyondLimit = limit > 0 && page.kind === 'offset' && page.page * page.perPage > limit;
  return isBeyondLimit ? fail('offsetTooFar', { limit }) : null;
}

/** The error for a page beyond the limit; `{limit}` is the setting. */
export function offsetTooFarError(type: 'User' | 'Group') {
  return [
    405,
    {
      error: `Offset pagination has a maximum allowed offset of {limit} for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`,
    },
  ] as const;
}
