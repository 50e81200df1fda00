import { matchesParts } from '#authorization/protected-branches/wildcards.ts';
import { filterCooperatively } from '#runtime/concurrency-limiter.ts';

/**
 * The `search` of branches and tags (contract/repository.md §2), case-insensitive: substring, `^` start, `$` end, `*`
 * wildcard.
 */

interface RefSearch {
  matches(name: string): boolean;
  /** Without operators an exact match comes first. */
  readonly isExactMatch: (name: string) => boolean;
}

function parseRefSearch(term: string): RefSearch {
  const folded = term.toLowerCase();
  const anchored = folded.startsWith('^');
  const ended = folded.endsWith('$') && folded.length > (anchored ? 1 : 0);
  const inner = folded.slice(anchored ? 1 : 0, ended ? -1 : undefined);
  const parts = inner.split('*');
  const whole = [...(anchored ? [] : ['']), ...parts, ...(ended ? [] : [''])];
  const operators = anchored || ended || parts.length > 1;
  return {
    matches: (name) => matchesParts(name.toLowerCase(), whole),
    isExactMatch: (name) => !operators && name.toLowerCase() === folded,
  };
}

/** Returns the matching refs in their order. Without operators an exact match comes first. */
export async function searchRefs<Found>(
  refs: readonly Found[],
  term: string,
  nameOf: (ref: Found) => string,
): Promise<Found[]> {
  const search = parseRefSearch(term);
  const matching = await filterCooperatively(refs, (ref) => search.matches(nameOf(ref)));
  const first = await filterCooperatively(matching, (ref) => search.isExactMatch(nameOf(ref)));
  if (first.length === 0) return matching;
  return [...first, ...(await filterCooperatively(matching, (ref) => !search.isExactMatch(nameOf(ref))))];
}

type IsAfter<Found> = (ref: Found, name: string) => boolean;

/**
 * Returns a comparison for pagination of search results, where an exact match comes first, from the `isBehind` of the
 * whole list.
 */
export function orderBySearch<Found>(
  term: string | null | undefined,
  nameOf: (ref: Found) => string,
  isAfter: IsAfter<Found>,
): IsAfter<Found> {
  if (!term) return isAfter;
  const { isExactMatch: first } = parseRefSearch(term);
  return (ref, name) => (first(name) === first(nameOf(ref)) ? isAfter(ref, name) : first(name));
}
