import type { Reader } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import type { PageRequest } from './pagination.ts';

/**
 * Refuses a page that lies beyond the setting `offset_pagination_limit` (0: off); null: it does not. The numbers alone
 * decide, however few rows there are: contract/conventions.md §6.
 */
export async function beyondOffset(db: Reader, page: PageRequest): Promise<Failure<'offsetTooFar'> | null> {
  const { offset_pagination_limit: limit } = await readSettings(db);
  const isBeyond = limit > 0 && page.kind === 'offset' && page.page * page.perPage > limit;
  return isBeyond ? fail('offsetTooFar', { limit }) : null;
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
