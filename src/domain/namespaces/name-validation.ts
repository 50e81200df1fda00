import { isReservedName } from '#authentication/users/usernames.ts';

/**
 * The rules of paths and names of groups and projects (contract/planning.md §3.1 "Path"). Pure: each function gives the
 * texts of what is wrong, none when nothing is; the caller puts them under the field's name.
 */

/** A project's or a group's own segment. A group's has two characters at least. */
export function pathProblems(path: string, { least = 1 }: { readonly least?: number } = {}): string[] {
  if (path === '') return ["can't be blank"];
  return [
    ...(path.length < least ? [`is too short (minimum is ${least} characters)`] : []),
    ...(path.length > LONGEST ? [`is too long (maximum is ${LONGEST} characters)`] : []),
    ...(isPath(path) ? [] : [PATH_TEXT]),
  ];
}

export function groupPathProblems(path: string, { topLevel }: { readonly topLevel: boolean }): string[] {
  const problems = pathProblems(path, { least: 2 });
  return topLevel && isReservedName(path) ? [...problems, `${path} is a reserved name`] : problems;
}

export function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"];
  return [
    ...([...name].length > LONGEST ? [`is too long (maximum is ${LONGEST} characters)`] : []),
    ...(/^[\p{L}\p{N}_\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(name) && !/[<>\p{Cc}]/u.test(name)
      ? []
      : [NAME_TEXT]),
  ];
}

const LONGEST = 255;
const PATH_TEXT =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.";
const NAME_TEXT = "must start with a letter, digit, emoji, or '_', and can't contain '<' or '>'.";

function isPath(path: string): boolean {
  return /^[\w][\w.-]*$/.test(path) && !/(\.|\.git|\.atom)$/i.test(path);
}

/** What a name becomes while its deletion is scheduled: the old one is free at once. */
export function scheduledForDeletion(name: string, id: number): string {
  return suffixed(name, `-deletion_scheduled-${id}`);
}

/** Does something in this full path have such a name? */
export function isScheduledForDeletion(fullPath: string): boolean {
  return fullPath.split('/').some((segment) => /-deletion_scheduled-\d+$/.test(segment));
}

/** The name with this at its end; what would be too long loses as much of its own. The suffix is ASCII. */
export function suffixed(name: string, suffix: string): string {
  return [...name].slice(0, LONGEST - suffix.length).join('') + suffix;
}
