import type { Diff, FileDiff } from '#git/diff/diff.ts';
import { type ListPage, type PageRequest, paginateInMemory } from '#http/lists/pagination.ts';

/** Returns one page of the files. A diff that omits files has no total, so that nobody takes the list for complete. */
export function paginateDiff({ files, overflow }: Diff, page: PageRequest): ListPage<FileDiff> {
  const result = paginateInMemory(files, page);
  return overflow ? { ...result, total: null } : result;
}
