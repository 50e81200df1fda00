import { countLimit } from '#database/page.ts';
import type { Git } from '#git/git.ts';
import { GitFailed } from '#git/process/failures.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { entryAt } from '#git/trees/path-entries.ts';
import { type ListedEntry, listTree, type TreeList } from '#git/trees/tree-list.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { trimmed } from '#text/trim.ts';
import type { TreeRow } from './entities.ts';

interface TreeQuestion {
  readonly ref?: string | null | undefined;
  readonly path?: string | null | undefined;
  readonly recursive: boolean;
  /** `legacy`, as without it, by the page's number; `none`: the whole tree. */
  readonly pagination?: 'legacy' | 'keyset' | 'none' | null | undefined;
  readonly page_token?: string | null | undefined;
}

/** One page of the tree that a path names at a ref. */
export async function treePage(
  git: Git,
  repository: Repository,
  question: TreeQuestion,
  page: OffsetRequest,
): Promise<Page<TreeRow> | Failure<'refUnknown' | 'pathUnknown' | 'tokenInvalid'>> {
  const found = await findTree(git, repository, question, page);
  if (isFailure(found)) return found;
  const cut = cutOf(found.list, question, page);
  if (isFailure(cut)) return cut;
  return { ...cut, items: cut.items.map((entry) => ({ entry, folder: found.folder })) };
}

interface FoundTree {
  readonly list: TreeList;
  readonly folder: string;
}

/** Lists are remembered by the tree's id, so that any page costs the same. */
async function findTree(
  git: Git,
  repository: Repository,
  { ref, path, recursive, pagination }: TreeQuestion,
  page: OffsetRequest,
): Promise<FoundTree | Failure<'refUnknown' | 'pathUnknown'>> {
  const commit = await resolveRevision(git, repository, ref?.trim() || 'HEAD');
  if (commit === null) return fail('refUnknown');
  const folder = trimmed(path ?? '', '/');
  const entry = await entryAt(git, repository, commit, folder);
  if (entry?.type !== 'tree') return fail('pathUnknown');
  const list = await listTree(git, repository, entry.id, { deep: recursive, ...wantedOf(pagination, page) });
  return list === null ? fail('pathUnknown') : { list, folder };
}

/** How much of a list is needed: only the number of a page says how far its entries reach. */
function wantedOf(pagination: TreeQuestion['pagination'], { page, perPage }: OffsetRequest) {
  if (pagination === 'keyset') return {};
  if (pagination === 'none') return { wanted: { entries: 0, counted: LARGEST_WHOLE + 1 } };
  // One more tells whether another page follows.
  return { wanted: { entries: page * perPage + 1, counted: countLimit + 1 } };
}

function cutOf(list: TreeList, { pagination, page_token }: TreeQuestion, page: OffsetRequest) {
  if (pagination === 'none') return wholeTree(list);
  return pagination === 'keyset' ? keysetPage(list, page_token, page.perPage) : offsetPage(list, page);
}

/** More entries than this are listed by page only. */
const LARGEST_WHOLE = 100_000;

/** What git lists no further, or nobody can take at once: no fault of the server (503). */
function tooMany(): GitFailed {
  return new GitFailed('ls-tree', { kind: 'too-large', limit: LARGEST_WHOLE });
}

/** All entries at once, without headers of pages. */
function wholeTree(list: TreeList): Page<ListedEntry> {
  if (!list.complete || list.length > LARGEST_WHOLE) throw tooMany();
  return { items: list.slice(0, list.length), total: null, more: false, keyset: { next: null } };
}

function offsetPage(list: TreeList, { page, perPage }: OffsetRequest): Page<ListedEntry> {
  const start = (page - 1) * perPage;
  const end = start + perPage;
  if (!list.complete && list.length < end) throw tooMany();
  const total = list.length > countLimit || !list.complete ? null : list.length;
  return { items: list.slice(start, end), total, more: list.length > end };
}

/**
 * The page behind the entry that a token names. A token is the id of that entry; one blob can stand at many paths, so
 * for all but the first with this id its place follows behind a dot.
 */
function keysetPage(
  list: TreeList,
  token: string | null | undefined,
  perPage: number,
): Page<ListedEntry> | Failure<'tokenInvalid'> {
  const start = token ? placeOf(list, token) + 1 : 0;
  if (token && start === 0) return fail('tokenInvalid');
  const end = start + perPage;
  if (!list.complete && list.length < end) throw tooMany();
  const more = list.length > end;
  const next = more ? { page_token: tokenAt(list, end - 1) } : null;
  return { items: list.slice(start, end), total: null, more, keyset: { next } };
}

/** When the tree has changed meanwhile and another entry stands at that place: the first with this id. */
function placeOf(list: TreeList, token: string): number {
  const [, id, place] = /^([0-9a-f]{40})(?:\.(\d{1,9}))?$/.exec(token) ?? [];
  if (id === undefined) return -1;
  return place !== undefined && list.idAt(Number(place)) === id ? Number(place) : list.placeOf(id);
}

function tokenAt(list: TreeList, place: number): string {
  const id = list.idAt(place);
  return list.placeOf(id) === place ? id : `${id}.${place}`;
}
