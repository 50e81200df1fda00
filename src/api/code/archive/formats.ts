import type { ArchiveFormat } from '#git/archive.ts';

/** Maps the suffix after `archive` in the path to a format (contract/repository.md §4). */
const FORMATS: Readonly<Record<string, ArchiveFormat>> = {
  '.tar.gz': 'tar.gz',
  '.tgz': 'tar.gz',
  '.gz': 'tar.gz',
  '.tar.bz2': 'tar.bz2',
  '.tbz': 'tar.bz2',
  '.tbz2': 'tar.bz2',
  '.tb2': 'tar.bz2',
  '.bz2': 'tar.bz2',
  '.tar': 'tar',
  '.zip': 'zip',
};

/** Returns the format for a suffix; tar.gz if it is empty. */
export function toArchiveFormat(suffix: string): ArchiveFormat {
  return FORMATS[suffix] ?? 'tar.gz';
}
