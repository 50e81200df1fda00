import { trimmedEnd } from '#text/trim.ts';

/*
 * Names that mean something to git or to the file systems that people check out on. The rules are those of `git fsck`,
 * which refuses them in a push: `.git` in every spelling that HFS+ or NTFS takes for it, `.` and `..`. What a backslash
 * parts counts as parts too, as it does on Windows.
 */

/** Whether a tree can have an entry of this name. */
export function isStorable(name: string): boolean {
  if (name === '' || name.includes('\0')) return false;
  return name.split('\\').every((part) => part !== '.' && part !== '..' && !/^(?:\.git|git~1)$/.test(plain(part)));
}

/**
 * Whether git looks into what stands at this path (`.gitmodules`, `.gitattributes` and their short names on NTFS), so that
 * it can be refused for what it holds or is. That git decides; here it is enough to name too many.
 */
export function isReserved(path: string): boolean {
  return path.split(/[/\\]/).some((part) => /^(?:\.gitmodules|\.gitattributes|[^~]{0,6}~\d+)$/.test(plain(part)));
}

/** As file systems compare it: without case, without what HFS+ leaves out, without what NTFS cuts off at the end. */
function plain(part: string): string {
  const shown = part.replace(IGNORED_BY_HFS, '').toLowerCase();
  const stream = shown.indexOf(':');
  return trimmedEnd(stream < 0 ? shown : shown.slice(0, stream), ' .');
}

/** Zero-width and direction marks. */
const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
