import { Type } from 'typebox';
import { COUNT_LIMIT } from '#database/page.ts';
import type { Git } from '#git/git.ts';
import { GitError } from '#git/process/failures.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import { listTree as listGitTree, type TreeList, type TreeListEntry } from '#git/trees/tree-list.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { page } from '#http/endpoint/responses.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterRule, type ParameterValues } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { pathText, refName } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { trimCharacters, truncateToBytes } from '#text/trim.ts';

/** An entry of a listed tree. */
interface TreeRow {
  readonly entry: TreeListEntry;
  /** The path of the listed tree, without slashes at its ends; empty for the root. */
  readonly folder: string;
}

/** Maximum bytes of a path (contract/conventions.md §3 "Limits of texts"). */
const MAX_PATH_BYTES = 4096;

/** A folder, file or submodule of a tree (contract/repository.md §4). */
const TreeEntry = entity('TreeEntry', {
  id: Type.String({ description: 'Id of the git object.' }),
  name: Type.String(),
  type: Type.Enum(['tree', 'blob', 'commit'], { description: '`tree`: folder. `blob`: file. `commit`: submodule.' }),
  path: Type.String(),
  mode: Type.String(),
}).from(({ entry: { id, type, mode, path }, folder }: TreeRow) => {
  const truncatedPath = truncateToBytes(path.toWellFormed(), MAX_PATH_BYTES);
  const name = truncatedPath.slice(truncatedPath.lastIndexOf('/') + 1);
  return { id, name, type, path: folder === '' ? truncatedPath : `${folder}/${truncatedPath}`, mode };
});

const listTreeParams = {
  ref: describe(optional(refName), 'Branch, tag or commit; absent: the default branch.'),
  path: describe(optional(pathText), 'Folder to list; absent: the root.'),
  recursive: describe(optional(boolean, false), 'Lists the contents of all folders below, too.'),
  pagination: describe(
    optional(oneOf('legacy', 'keyset', 'none')),
    '`legacy` (default): by page number. `keyset`: by `page_token`. `none`: the whole tree, only with `recursive`.',
  ),
  page_token: describe(optional(pathText), 'Token of the last entry of the previous page, from its `Link` header.'),
};

/** Rejects `pagination=none` unless the list is recursive. */
const requireRecursiveForWholeTree: ParameterRule = ({ pagination, recursive = null }, problems) => {
  if (pagination !== 'none' || boolean.read(recursive, 'recursive', new Problems()) === true) return;
  problems.add('pagination cannot be "none" unless "recursive" is true');
};

export const listTree = endpoint({
  get: '/projects/:id/repository/tree',
  summary: 'List the files and folders of a repository',
  description:
    'Returns the entries of a folder, folders first, then files, then submodules, each by name. With `recursive`, it ' +
    'returns everything below the folder. Without `ref`, the default branch is listed.',
  access: inProjectAllowingAnonymous('read_code'),
  params: listTreeParams,
  rules: [requireRecursiveForWholeTree],
  errors: {
    refUnknown: [404, '404 Tree Not Found'],
    pathUnknown: [404, '404 invalid revision or path Not Found'],
    tokenInvalid: [400, { error: 'page_token is invalid' }],
    tokenAmbiguous: [400, { error: 'page_token is ambiguous: follow the header Link' }],
  },
  response: page(TreeEntry),
  read: (_db, { project, params, page }, git) => loadTreePage(git, getRepository(git, project), params, page),
});

type TreeListInput = ParameterValues<typeof listTreeParams>;

/** Returns one page of the tree at a path and ref. */
async function loadTreePage(
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
