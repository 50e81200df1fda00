// Parses the arguments of quick actions. Pure.

/** Maximum number of names in one command. */
const MAX_NAMES = 100;

/** Parses names with an optional prefix: `~bug ~"two words"`. A prefix directly before a quote belongs to the quoted name. */
export function parseNames(argument: string, sign: '~' | '%'): string[] {
  const names: string[] = [];
  for (let at = 0; at < argument.length && names.length < MAX_NAMES; ) {
    if (/[\s,]/.test(argument[at]!)) {
      at++;
      continue;
    }
    if (argument[at] === sign) at++;
    const isQuoted = argument[at] === '"';
    const from = isQuoted ? at + 1 : at;
    const end = endOfName(argument, from, isQuoted);
    if (end > from) names.push(argument.slice(from, end));
    at = isQuoted ? end + 1 : Math.max(end, at + 1);
  }
  return names;
}

function endOfName(argument: string, from: number, isQuoted: boolean): number {
  let end = from;
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

/** Parses `&3`, `group&3` or the URL of an epic; returns null for anything else. An empty path means the own group. */
export function parseEpicReference(argument: string): { readonly path: string; readonly iid: number } | null {
  const at = argument.lastIndexOf('&');
  const marker = '/-/epics/';
  const markerIndex = argument.lastIndexOf(marker);
  const digits = markerIndex >= 0 ? argument.slice(markerIndex + marker.length) : at >= 0 ? argument.slice(at + 1) : '';
  if (!/^\d{1,9}$/.test(digits)) return null;
  const iid = Number(digits);
  if (markerIndex < 0) return { path: argument.slice(0, at), iid };
  const groupsIndex = argument.indexOf('/groups/');
  return groupsIndex < 0 ? null : { path: argument.slice(groupsIndex + '/groups/'.length, markerIndex), iid };
}

/** Joins parts: `1`, `1 and 2`, `1, 2, and 3`. */
export function joinAsSentence(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
