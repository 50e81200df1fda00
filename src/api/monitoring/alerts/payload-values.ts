import { truncateToCharacters } from '#text/trim.ts';

/** Converts payload values to the values that alerts store (contract/monitoring.md §2, first lines). Pure. */

/** Returns whether the value counts as missing: null, false, white space, an empty list or an empty object. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'string') return !/[^\s\0]/.test(value);
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Returns the value as text, or null if it is blank. Removes NULs, which databases cannot store; other types become JSON. */
export function toTextOrNull(value: unknown): string | null {
  if (isBlank(value)) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

const ELLIPSIS = '...';

/** Truncates the text to `maxCharacters` characters; the last three of a truncated text are an ellipsis. */
export function truncateWithEllipsis(text: string, maxCharacters: number): string {
  // A text never has fewer code units than characters.
  if (text.length <= maxCharacters) return text;
  const characters = Array.from(text.slice(0, 2 * maxCharacters + 2));
  if (characters.length <= maxCharacters) return text;
  return characters.slice(0, maxCharacters - ELLIPSIS.length).join('') + ELLIPSIS;
}

/** Maximum total length of all hosts, in characters. */
const MAX_HOSTS_LENGTH = 255;
/** Maximum number of items to inspect; only a list of mostly blank items reaches it. */
const MAX_INSPECTED_HOSTS = 10_000;

/** Returns the hosts of a value or a nested list, without blank ones, truncated to 255 characters in total. */
export function toHosts(value: unknown): string[] {
  const hosts: string[] = [];
  let remainingLength = MAX_HOSTS_LENGTH;
  let inspectedCount = 0;
  for (const item of flattenItems(value)) {
    if (++inspectedCount > MAX_INSPECTED_HOSTS) break;
    const text = toTextOrNull(item);
    if (text === null) continue;
    const host = truncateToCharacters(text, remainingLength);
    hosts.push(host);
    remainingLength -= Array.from(host).length;
    if (remainingLength <= 0) break;
  }
  return hosts;
}

/** Yields the items of a nested list in order, including empty lists, or the value itself if it is not a list. */
export function* flattenItems(value: unknown): Generator<unknown> {
  if (!Array.isArray(value) || value.length === 0) yield value;
  else for (const item of value) yield* flattenItems(item);
}
