import { trimEndCharacters } from '#text/trim.ts';

/*
 * Names with a special meaning for git or for file systems, by the rules of `git fsck`: `.git` in every spelling that
 * HFS+ or NTFS treats as equal, `.` and `..`. A backslash also separates segments, as on Windows.
 */

/** Returns whether a tree may have an entry of this name. */
export function isStorableName(name: string): boolean {
  if (name === '' || name.includes('\0')) return false;
  return name
    .split('\\')
    .every((part) => part !== '.' && part !== '..' && !/^(?:\.git|git~1)$/.test(normalizeName(part)));
}

/** Returns whether a path contains a line break. git stores such names; snippets, whose names are in headers, do not. */
export function hasLineBreak(path: string): boolean {
  return /[\r\n]/.test(path);
}

/**
 * Returns whether git may check the content at this path (`.gitmodules`, `.gitattributes` and their short names on
 * NTFS). May return true for too many paths; git decides.
 */
export function isReserved(path: string): boolean {
  return path
    .split(/[/\\]/)
    .some((part) => /^(?:\.gitmodules|\.gitattributes|[^~]{0,6}~\d+)$/.test(normalizeName(part)));
}

/**
 * Normalizes a name as file systems do: ignores case, characters that HFS+ ignores and trailing characters that NTFS
 * removes.
 */
function normalizeName(part: string): string {
  const visible = part.replace(IGNORED_BY_HFS, '').toLowerCase();
  const stream = visible.indexOf(':');
  return trimEndCharacters(stream < 0 ? visible : visible.slice(0, stream), ' .');
}

/** Zero-width and direction marks. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
