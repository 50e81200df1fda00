// Parsers for the arguments of quick actions.

/** Maximum number of names in one command. */
const MAX_NAMES = 100;

/** Parses names, each with an optional prefix, separated by blanks or commas: `~bug ~"two words"`. */
export function parseNames(argument: string, prefix: '~' | '%'): string[] {
  const names: string[] = [];
  for (let position = 0; position < argument.length && names.length < MAX_NAMES; ) {
    if (/[\s,]/.test(argument[position]!)) {
      position++;
      continue;
    }
    if (argument[position] === prefix) position++;
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

/** Parses usernames with or without `@`, separated by spaces, commas or `and`. Returns `me` like a username. */
export function parseUsernames(argument: string): string[] {
  const names: string[] = [];
  for (const [word] of argument.matchAll(/[^\s,]+/g)) {
    if (names.length === MAX_NAMES) break;
    const name = word.startsWith('@') ? word.slice(1) : word;
    if (name !== '' && (word.startsWith('@') || word !== 'and')) names.push(name);
  }
  return names;
}

const EPICS_SEGMENT = '/-/epics/';
const GROUPS_SEGMENT = '/groups/';

/** Parses `&3`, `group&3` or the URL of an epic; returns null for anything else. An empty path means the group of the noteable. */
export function parseEpicReference(argument: string): { readonly path: string; readonly iid: number } | null {
  const pathEnd = argument.lastIndexOf(EPICS_SEGMENT);
  const isUrl = pathEnd >= 0;
  const iidStart = isUrl ? pathEnd + EPICS_SEGMENT.length : argument.lastIndexOf('&') + 1;
  const digits = argument.slice(iidStart);
  if (iidStart === 0 || !/^\d{1,9}$/.test(digits)) return null;
  const iid = Number(digits);
  if (!isUrl) return { path: argument.slice(0, iidStart - 1), iid };
  const groupsStart = argument.indexOf(GROUPS_SEGMENT);
  return groupsStart < 0 ? null : { path: argument.slice(groupsStart + GROUPS_SEGMENT.length, pathEnd), iid };
}

/** The prefix of references by the part of a URL before the iid. */
const PREFIXES_BY_SEGMENT = { '/-/issues/': '#', '/-/work_items/': '#', '/-/merge_requests/': '!' } as const;

/** Replaces the URLs of issues and merge requests by references: `https://host/g/p/-/issues/3` by `g/p#3`. */
export function replaceUrlsByReferences(argument: string): string {
  return argument.split(/\s/).map(toReference).join(' ');
}

function toReference(word: string): string {
  const pathStart = word.indexOf('/', word.indexOf('://') + 3) + 1;
  if (!/^https?:/.test(word) || pathStart === 0) return word;
  for (const [segment, prefix] of Object.entries(PREFIXES_BY_SEGMENT)) {
    const position = word.indexOf(segment);
    const iid = /^\d{1,9}/.exec(word.slice(position + segment.length))?.[0];
    if (position > pathStart && iid !== undefined) return `${word.slice(pathStart, position)}${prefix}${iid}`;
  }
  return word;
}

/** Joins parts in English: `1`, `1 and 2`, `1, 2, and 3`. */
export function joinAsSentence(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
