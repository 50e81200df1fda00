/** What stands behind the name of a command. Pure. */

/** So many names of one command are looked up. */
const MOST = 100;

/** Names behind a sign, `~bug ~"two words"`, or without it; a sign alone before quotes belongs to them. */
export function namesIn(argument: string, sign: '~' | '%'): string[] {
  const names: string[] = [];
  for (let at = 0; at < argument.length && names.length < MOST; ) {
    if (/[\s,]/.test(argument[at]!)) {
      at++;
      continue;
    }
    if (argument[at] === sign) at++;
    const quoted = argument[at] === '"';
    const from = quoted ? at + 1 : at;
    const end = endOf(argument, from, quoted);
    if (end > from) names.push(argument.slice(from, end));
    at = quoted ? end + 1 : Math.max(end, at + 1);
  }
  return names;
}

function endOf(argument: string, from: number, quoted: boolean): number {
  let end = from;
  while (end < argument.length && (quoted ? argument[end] !== '"' : !/[\s,]/.test(argument[end]!))) end++;
  return end;
}

/** Usernames, with `@` or without, between blanks, commas or `and`; `me` stays as it is. */
export function usernamesOf(argument: string): string[] {
  const names: string[] = [];
  for (const [word] of argument.matchAll(/[^\s,]+/g)) {
    if (names.length === MOST) break;
    const name = word.startsWith('@') ? word.slice(1) : word;
    if (name !== '' && (word.startsWith('@') || word !== 'and')) names.push(name);
  }
  return names;
}

/** `&3`, `group&3`, or the address of an epic; null: no epic is named. An empty path is the own group's. */
export function epicNamed(argument: string): { readonly path: string; readonly iid: number } | null {
  const at = argument.lastIndexOf('&');
  const marker = '/-/epics/';
  const behind = argument.lastIndexOf(marker);
  const digits = behind >= 0 ? argument.slice(behind + marker.length) : at >= 0 ? argument.slice(at + 1) : '';
  if (!/^\d{1,9}$/.test(digits)) return null;
  const iid = Number(digits);
  if (behind < 0) return { path: argument.slice(0, at), iid };
  const groups = argument.indexOf('/groups/');
  return groups < 0 ? null : { path: argument.slice(groups + '/groups/'.length, behind), iid };
}

/** `1`, `1 and 2`, `1, 2, and 3`. */
export function sentence(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
