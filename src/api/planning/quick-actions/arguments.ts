// Parsers for the arguments of quick actions.

/** Maximum number of names in one command. */
const MAX_NAMES = 100;

/** Parses names with an optional prefix: `~bug ~"two words"`. A prefix directly before a quote belongs to the quoted name. */
export function parseNames(argument: string, sign: '~' | '%'): string[] {
  const names: string[] = [];
  for (let position = 0; position < argument.length && names.length < MAX_NAMES; ) {
    if (/[\s,]/.test(argument[position]!)) {
      position++;
      continue;
    }
    if (argument[position] === sign) position++;
    const isQuoted = argument[position] === '"';
    const start = isQuoted ? position + 1 : position;
    const end = findEndOfName(argument, start, isQuoted);
    if (end > start) names.push(argument.slice(start, end));
    position = isQuoted ? end + 1 : Math.max(end, position + 1);
  }
  return names;
}

function findEndOfName(argument: string, start: number, isQuoted: boolean): number {
  let end = start;
  while (end < argument.length && (isQuoted ? argument[end] !== '"' : !/[\s,]/.test(argument[end]!))) end++;
  return end;
}

/** Parses usernames with or without `@`, separated by spaces, commas or `and`. `me` is returned as it is. */
export function parseUsernames(argument: string): string[] {
  const names: string[] = [];
  for (const [word] of argument.matchAll(/[^\s,]+/g)) {
    if (names.length === MAX_NAMES) break;
    const name = word.startsWith('@') ? word.slice(1) : word;
    if (name !== '' && (word.startsWith('@') || word !== 'and')) names.push(name);
  }
  return names;
}

/** Parses `&3`, `group&3` or the URL of an epic; returns null for anything else. An empty path means the group of the noteable. */
export function parseEpicReference(argument: string): { readonly path: string; readonly iid: number } | null {
  const signIndex = argument.lastIndexOf('&');
  const marker = '/-/epics/';
  const markerIndex = argument.lastIndexOf(marker);
  const digits =
    markerIndex >= 0
      ? argument.slice(markerIndex + marker.length)
      : signIndex >= 0
        ? argument.slice(signIndex + 1)
        : '';
  if (!/^\d{1,9}$/.test(digits)) return null;
  const iid = Number(digits);
  if (markerIndex < 0) return { path: argument.slice(0, signIndex), iid };
  const groupsIndex = argument.indexOf('/groups/');
  return groupsIndex < 0 ? null : { path: argument.slice(groupsIndex + '/groups/'.length, markerIndex), iid };
}

const SEGMENTS = { '/-/issues/': '#', '/-/work_items/': '#', '/-/merge_requests/': '!' } as const;

/** Replaces the URLs of issues and merge requests by references: `https://host/g/p/-/issues/3` by `g/p#3`. */
export function replaceUrlsByReferences(argument: string): string {
  return argument.split(/\s/).map(toReference).join(' ');
}

function toReference(word: string): string {
  const pathStart = word.indexOf('/', word.indexOf('://') + 3) + 1;
  if (!/^https?:/.test(word) || pathStart === 0) return word;
  for (const [segment, sign] of Object.entries(SEGMENTS)) {
    const position = word.indexOf(segment);
    const iid = /^\d{1,9}/.exec(word.slice(position + segment.length))?.[0];
    if (position > pathStart && iid !== undefined) return `${word.slice(pathStart, position)}${sign}${iid}`;
  }
  return word;
}

/** Joins parts in English: `1`, `1 and 2`, `1, 2, and 3`. */
export function joinAsSentence(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
