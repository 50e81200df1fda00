import { truncateToCharacters } from '#text/trim.ts';

/** What payloads hold, as alerts keep it (contract/monitoring.md §2, first lines). Pure. */

/** Counts as not there: null, false, white space, what is empty. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'string') return !/[^\s\0]/.test(value);
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The value as text, without NULs, which no database keeps; null for a blank one. What is no text is told as JSON tells it. */
export function textOf(value: unknown): string | null {
  if (isBlank(value)) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

const ELLIPSIS = '...';

/** So many characters at most, of which the last three say that there were more. */
export function cut(text: string, most: number): string {
  // Nothing has fewer code units than characters.
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most + 2));
  if (characters.length <= most) return text;
  return characters.slice(0, most - ELLIPSIS.length).join('') + ELLIPSIS;
}

/** Characters of all hosts together. */
const LONGEST_HOSTS = 255;
/** Items that are looked at, most of which must be blank then. */
const MOST_HOSTS = 10_000;

/** One host, or a list of lists of them: the blank ones left out, cut where they have 255 characters together. */
export function hostsOf(value: unknown): string[] {
  const hosts: string[] = [];
  let left = LONGEST_HOSTS;
  let looked = 0;
  for (const item of itemsOf(value)) {
    if (++looked > MOST_HOSTS) break;
    const text = textOf(item);
    if (text === null) continue;
    const host = truncateToCharacters(text, left);
    hosts.push(host);
    left -= Array.from(host).length;
    if (left <= 0) break;
  }
  return hosts;
}

/** What is in a list and the lists in it, empty ones among them, or the value itself, in its order. */
export function* itemsOf(value: unknown): Generator<unknown> {
  if (!Array.isArray(value) || value.length === 0) yield value;
  else for (const item of value) yield* itemsOf(item);
}
