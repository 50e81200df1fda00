import type { ArchiveFormat } from '#git/archive.ts';

/** What may stand behind `archive` in the path (contract/repository.md §4); without it a tar.gz is meant. */
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

export function formatOf(suffix: string): ArchiveFormat {
  return FORMATS[suffix] ?? 'tar.gz';
}
