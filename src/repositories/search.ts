/** The `search` of branches and tags (contract/repository.md §2): contains, `^` start, `$` end, `*` anything, any case. */

export interface RefSearch {
  matches(name: string): boolean;
  /** Without operators a name that equals the term comes first. */
  readonly first: (name: string) => boolean;
}

export function refSearch(term: string): RefSearch {
  const folded = term.toLowerCase();
  const anchored = folded.startsWith('^');
  const ended = folded.endsWith('$') && folded.length > (anchored ? 1 : 0);
  const inner = folded.slice(anchored ? 1 : 0, ended ? -1 : undefined);
  const parts = inner.split('*');
  const operators = anchored || ended || parts.length > 1;
  return {
    matches: (name) => matchesParts(name.toLowerCase(), parts, anchored, ended),
    first: (name) => !operators && name.toLowerCase() === folded,
  };
}

/**
 * The parts in their order, each at its earliest place: linear, whatever the term. The last one of an anchored end
 * must stand at the end.
 */
function matchesParts(name: string, parts: readonly string[], anchored: boolean, ended: boolean): boolean {
  const last = parts.length - 1;
  let from = 0;
  for (const [index, part] of parts.entries()) {
    if (index === last && ended) {
      const at = name.length - part.length;
      return at >= from && name.endsWith(part) && (index > 0 || !anchored || at === 0);
    }
    const at = name.indexOf(part, from);
    if (at === -1 || (index === 0 && anchored && at !== 0)) return false;
    from = at + part.length;
  }
  return true;
}
