import { matchesParts } from '#authorization/protected-branches/wildcards.ts';
import { filterCooperatively } from '#runtime/yielding.ts';

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
  const lowerCaseTerm = term.toLowerCase();
  const anchored = lowerCaseTerm.startsWith('^');
  const isEndAnchored = lowerCaseTerm.endsWith('$') && lowerCaseTerm.length > (anchored ? 1 : 0);
  const pattern = lowerCaseTerm.slice(anchored ? 1 : 0, isEndAnchored ? -1 : undefined);
  const parts = pattern.split('*');
  const paddedParts = [...(anchored ? [] : ['']), ...parts, ...(isEndAnchored ? [] : [''])];
  const operators = anchored || isEndAnchored || parts.length > 1;
  return {
    matches: (name) => matchesParts(name.toLowerCase(), paddedParts),
    isExactMatch: (name) => !operators && name.toLowerCase() === lowerCaseTerm,
  };
}

/** Returns the matching refs in their order. Without operators an exact match comes first. */
export async function searchRefs<Found>(
  refs: readonly Found[],
  term: string,
  nameOf: (ref: Found) => string,
): Promise<Found[]> {
  const search = parseRefSearch(term);
  const matchingRefs = await filterCooperatively(refs, (ref) => search.matches(nameOf(ref)));
  const first = await filterCooperatively(matchingRefs, (ref) => search.isExactMatch(nameOf(ref)));
  if (first.length === 0) return matchingRefs;
  return [...first, ...(await filterCooperatively(matchingRefs, (ref) => !search.isExactMatch(nameOf(ref))))];
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
