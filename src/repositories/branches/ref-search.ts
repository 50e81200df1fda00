import { mapCooperatively } from '#runtime/yielding.ts';
import { matchesParts } from '#text/safe-regex.ts';

// The `search` of branches and tags (contract/repository.md §2), case-insensitive: substring, `^` start, `$` end, `*`
// wildcard.

interface RefSearch {
  matches(name: string): boolean;
  /** Returns whether the search has no operators and equals the name. */
  readonly isExactMatch: (name: string) => boolean;
}

/** Parses a search term with optional operators: `^`, `$` and `*`. */
function parseRefSearch(term: string): RefSearch {
  const lowerCaseTerm = term.toLowerCase();
  const isStartAnchored = lowerCaseTerm.startsWith('^');
  const isEndAnchored = lowerCaseTerm.endsWith('$') && lowerCaseTerm.length > (isStartAnchored ? 1 : 0);
  const pattern = lowerCaseTerm.slice(isStartAnchored ? 1 : 0, isEndAnchored ? -1 : undefined);
  const parts = pattern.split('*');
  const paddedParts = [...(isStartAnchored ? [] : ['']), ...parts, ...(isEndAnchored ? [] : [''])];
  const hasOperators = isStartAnchored || isEndAnchored || parts.length > 1;
  return {
    matches: (name) => matchesParts(name.toLowerCase(), paddedParts),
    isExactMatch: (name) => !hasOperators && name.toLowerCase() === lowerCaseTerm,
  };
}

/** Returns the matching refs in their order. Without operators an exact match comes first. */
export async function searchRefs<Ref>(
  refs: readonly Ref[],
  term: string,
  getName: (ref: Ref) => string,
): Promise<Ref[]> {
  const search = parseRefSearch(term);
  const matches = await mapCooperatively(refs, (ref) => search.matches(getName(ref)));
  const matchingRefs = refs.filter((_ref, index) => matches[index]);
  const exactMatches = matchingRefs.filter((ref) => search.isExactMatch(getName(ref)));
  return exactMatches.length === 0 ? matchingRefs : [...new Set([...exactMatches, ...matchingRefs])];
}

/** Returns whether a ref comes after the name in the order of a list. */
type IsAfter<Ref> = (ref: Ref, name: string) => boolean;

/**
 * Returns the `isAfter` of search results, for pagination: an exact match comes first, other refs as in the `isAfter` of the
 * whole list.
 */
export function createSearchOrder<Ref>(
  term: string | null | undefined,
  getName: (ref: Ref) => string,
  isAfter: IsAfter<Ref>,
): IsAfter<Ref> {
  if (!term) return isAfter;
  const { isExactMatch } = parseRefSearch(term);
  return (ref, name) => (isExactMatch(name) === isExactMatch(getName(ref)) ? isAfter(ref, name) : isExactMatch(name));
}
