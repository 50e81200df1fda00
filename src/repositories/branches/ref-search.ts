import { matchesParts } from '#authorization/protected-branches/wildcards.ts';
import { filteredInTurns } from '#runtime/concurrency-limiter.ts';

/** The `search` of branches and tags (contract/repository.md §2): contains, `^` start, `$` end, `*` anything, any case. */

interface RefSearch {
  matches(name: string): boolean;
  /** Without operators a name that equals the term comes first. */
  readonly first: (name: string) => boolean;
}

function refSearch(term: string): RefSearch {
  const folded = term.toLowerCase();
  const anchored = folded.startsWith('^');
  const ended = folded.endsWith('$') && folded.length > (anchored ? 1 : 0);
  const inner = folded.slice(anchored ? 1 : 0, ended ? -1 : undefined);
  const parts = inner.split('*');
  const whole = [...(anchored ? [] : ['']), ...parts, ...(ended ? [] : [''])];
  const operators = anchored || ended || parts.length > 1;
  return {
    matches: (name) => matchesParts(name.toLowerCase(), whole),
    first: (name) => !operators && name.toLowerCase() === folded,
  };
}

/** Those that a search finds, in their order; without operators one whose whole name is the term comes first. */
export async function searchRefs<Found>(
  refs: readonly Found[],
  term: string,
  nameOf: (ref: Found) => string,
): Promise<Found[]> {
  const search = refSearch(term);
  const matching = await filteredInTurns(refs, (ref) => search.matches(nameOf(ref)));
  const first = await filteredInTurns(matching, (ref) => search.first(nameOf(ref)));
  if (first.length === 0) return matching;
  return [...first, ...(await filteredInTurns(matching, (ref) => !search.first(nameOf(ref))))];
}

type IsBehind<Found> = (ref: Found, name: string) => boolean;

/** Does a ref come behind this name among those that a search finds, where `isBehind` says so of all? */
export function behindInSearch<Found>(
  term: string | null | undefined,
  nameOf: (ref: Found) => string,
  isBehind: IsBehind<Found>,
): IsBehind<Found> {
  if (!term) return isBehind;
  const { first } = refSearch(term);
  return (ref, name) => (first(name) === first(nameOf(ref)) ? isBehind(ref, name) : first(name));
}
