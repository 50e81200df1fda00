import { COUNT_LIMIT } from '#database/page.ts';
import type { Git } from '#git/git.ts';
import { GitError } from '#git/process/failures.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import { listTree as listGitTree, type TreeList, type TreeListEntry } from '#git/trees/tree-list.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { pathText, refName } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { trimCharacters, truncateToBytes } from '#text/trim.ts';

/** An entry of a listed tree. */
export interface TreeRow {
  readonly entry: TreeListEntry;
  /** The path of the listed tree, without slashes at its ends; empty for the root. */
  readonly folder: string;
}

/** Maximum bytes of a path (contract/conventions.md §3 "Limits of texts"). */
const MAX_PATH_BYTES = 4096;

/** Returns the path of the entry from the root, well-formed and truncated. */
export function toDisplayPath({ entry: { path }, folder }: TreeRow): string {
  const truncatedPath = truncateToBytes(path.toWellFormed(), MAX_PATH_BYTES);
  return folder === '' ? truncatedPath : `${folder}/${truncatedPath}`;
}

/** The ref and the folder of a listed tree. */
export const treeParams = {
  ref: describe(optional(refName), 'Branch, tag or commit; absent: the default branch.'),
  path: describe(optional(pathText), 'Folder to list; absent: the root.'),
};

/** The errors of a ref or folder that does not exist. */
export const TREE_ERRORS = {
  refUnknown: [404, '404 Tree Not Found'],
  pathUnknown: [404, '404 invalid revision or path Not Found'],
} as const;

export const listTreeParams = {
  ...treeParams,
  recursive: describe(optional(boolean, false), 'Lists the contents of all folders below, too.'),
  pagination: describe(
    optional(oneOf('legacy', 'keyset', 'none')),
    '`legacy` (default): by page number. `keyset`: by `page_token`. `none`: the whole tree, only with `recursive`.',
  ),
  page_token: describe(optional(pathText), 'Token of the last entry of the previous page, from its `Link` header.'),
};

type TreeListInput = ParameterValues<typeof listTreeParams>;

/** Returns one page of the tree at a path and ref. */
export async function loadTreePage(
  git: Git,
  repository: Repository,
  input: TreeListInput,
  page: OffsetRequest,
): Promise<ListPage<TreeRow> | Failure<'refUnknown' | 'pathUnknown' | 'tokenInvalid' | 'tokenAmbiguous'>> {
  const tree = await findTree(git, repository, input, page);
  if (isFailure(tree)) return tree;
  const entryPage = paginate(tree.list, input, page);
  if (isFailure(entryPage)) return entryPage;
  return { ...entryPage, items: entryPage.items.map((entry) => ({ entry, folder: tree.folder })) };
}

/** Returns one page of the folder at a path and ref, by page number and without the contents of folders below. */
export async function loadFolderPage(
  git: Git,
  repository: Repository,
  refAndPath: Pick<TreeListInput, 'ref' | 'path'>,
  page: OffsetRequest,
): Promise<ListPage<TreeRow> | Failure<'refUnknown' | 'pathUnknown'>> {
  const input = { ...refAndPath, recursive: false, pagination: undefined, page_token: undefined };
  const tree = await findTree(git, repository, input, page);
  if (isFailure(tree)) return tree;
  const entryPage = toOffsetPage(tree.list, page);
  return { ...entryPage, items: entryPage.items.map((entry) => ({ entry, folder: tree.folder })) };
}

/** The tree at a path of a commit. */
interface TreeAtPath {
  readonly list: TreeList;
  readonly folder: string;
}

/** Finds the tree and its list of entries. Lists are cached by the tree's id, so that each page costs the same. */
async function findTree(
  git: Git,
  repository: Repository,
  { ref, path, recursive, pagination }: TreeListInput,
  page: OffsetRequest,
): Promise<TreeAtPath | Failure<'refUnknown' | 'pathUnknown'>> {
  const commit = await resolveRevision(git, repository, ref?.trim() || 'HEAD');
  if (commit === null) return fail('refUnknown');
  const folder = trimCharacters(path ?? '', '/');
  const entry = await findEntryAtPath(git, repository, commit, folder);
  if (entry?.type !== 'tree') return fail('pathUnknown');
  const list = await listGitTree(git, repository, entry.id, {
    isRecursive: recursive,
    ...toRequestedEntries(pagination, page),
  });
  return list === null ? fail('pathUnknown') : { list, folder };
}

/** Returns the numbers of entries to list and to count. Keyset pages need all, because the token's index is unknown. */
function toRequestedEntries(pagination: TreeListInput['pagination'], { page, perPage }: OffsetRequest) {
  if (pagination === 'keyset') return {};
  // Reads until the tree is known to be too large.
  if (pagination === 'none') return { requestedEntries: { maxEntries: 0, maxCounted: MAX_WHOLE_TREE + 1 } };
  // One more entry tells whether a next page exists.
  return { requestedEntries: { maxEntries: page * perPage + 1, maxCounted: COUNT_LIMIT + 1 } };
}

/** Returns the requested page of the list, or the whole list. */
function paginate(list: TreeList, { pagination, page_token }: TreeListInput, page: OffsetRequest) {
  if (pagination === 'none') return toWholeTree(list);
  return pagination === 'keyset' ? toKeysetPage(list, page_token, page.perPage) : toOffsetPage(list, page);
}

/** Maximum number of entries of a tree that is returned without pages. */
const MAX_WHOLE_TREE = 100_000;

/** Returns the error (503) for trees that are too large to list. */
function createTreeTooLargeError(): GitError {
  return new GitError('ls-tree', { kind: 'too-large', limit: MAX_WHOLE_TREE });
}

/** Returns all entries, without pagination headers. */
function toWholeTree(list: TreeList): ListPage<TreeListEntry> {
  if (!list.isComplete || list.length > MAX_WHOLE_TREE) throw createTreeTooLargeError();
  return { items: list.slice(0, list.length), total: null, hasMore: false, keyset: { next: null } };
}

function toOffsetPage(list: TreeList, { page, perPage }: OffsetRequest): ListPage<TreeListEntry> {
  const start = (page - 1) * perPage;
  const end = start + perPage;
  if (!list.isComplete && list.length < end) throw createTreeTooLargeError();
  const total = list.length > COUNT_LIMIT || !list.isComplete ? null : list.length;
  return { items: list.slice(start, end), total, hasMore: list.length > end };
}

/**
 * Returns the page after the entry that the token names. The token is the id of the entry. If several entries have the same id, the
 * token continues with `.<index>`. For these, the id alone is rejected: a client that continued at the wrong entry would never reach
 * the end, or miss entries.
 */
function toKeysetPage(
  list: TreeList,
  token: string | null | undefined,
  perPage: number,
): ListPage<TreeListEntry> | Failure<'tokenInvalid' | 'tokenAmbiguous'> {
  const index = token ? findTokenIndex(list, token) : -1;
  if (isFailure(index)) return index;
  const start = index + 1;
  const end = start + perPage;
  if (!list.isComplete && list.length < end) throw createTreeTooLargeError();
  const hasMore = list.length > end;
  const next = hasMore ? { page_token: formatToken(list, end - 1) } : null;
  return { items: list.slice(start, end), total: null, hasMore, keyset: { next } };
}

/** Returns the index of the entry that a token names. If the tree has changed and another id is at that index, the id alone decides. */
function findTokenIndex(list: TreeList, token: string): number | Failure<'tokenInvalid' | 'tokenAmbiguous'> {
  const [, id, index] = /^([0-9a-f]{40})(?:\.(\d{1,9}))?$/.exec(token) ?? [];
  if (id === undefined) return fail('tokenInvalid');
  if (index !== undefined && list.getIdAt(Number(index)) === id) return Number(index);
  const range = list.findId(id);
  if (range === null) return fail('tokenInvalid');
  return range.first === range.last ? range.first : fail('tokenAmbiguous');
}

/** Returns the token of the entry at an index: its id, with the index if the id occurs more than once. */
function formatToken(list: TreeList, index: number): string {
  const id = list.getIdAt(index);
  const range = list.findId(id);
  return range === null || range.first === range.last ? id : `${id}.${index}`;
}
