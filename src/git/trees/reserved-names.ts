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

/** Returns whether a path contains a line break. git allows it; snippets reject it, because their file names are sent in headers. */
export function hasLineBreak(path: string): boolean {
  return /[\r\n]/.test(path);
}

/**
 * Returns whether `git fsck` might check the content at this path (`.gitmodules`, `.gitattributes` and their short
 * names on NTFS). False positives do no harm: git then checks only the files that need it.
 */
export function mayNeedContentCheck(path: string): boolean {
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
  // NTFS: the name of an alternate data stream follows.
  const colonIndex = visible.indexOf(':');
  return trimEndCharacters(colonIndex < 0 ? visible : visible.slice(0, colonIndex), ' .');
}

/** Zero-width and direction marks. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
