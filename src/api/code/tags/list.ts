import type { Git } from '#git/git.ts';
import { getObjectInfo, readCommit, readCommits, readTag, type Tag } from '#git/objects/object-reader.ts';
import { TAGS } from '#git/ref-names.ts';
import { listRefs, type Ref, resolveRef } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { type ListPage, type OffsetRequest, paginateByToken, paginateInMemory } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { refName, searchExpression, string } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { createSearchOrder, searchRefs } from '#repositories/branches/ref-search.ts';
import { getRefVersion, getRepository, type VersionedRepository } from '#repositories/repository.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { sortCooperatively } from '#runtime/yielding.ts';
import { truncateToBytes } from '#text/trim.ts';
import type { TagRow } from './entities.ts';

export const listTagsParams = {
  order_by: describe(
    optional(oneOf('name', 'updated', 'version'), 'updated'),
    '`updated` is the date of the tag, or of its commit; `version` puts `v1.10` after `v1.9`.',
  ),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
  search: describe(
    optional(searchExpression),
    'Part of the name, ignoring case; `^` and `$` anchor it, `*` stands for any text.',
  ),
  pagination: describe(optional(string), '`keyset` selects keyset pagination with `page_token`.'),
  page_token: describe(optional(refName), 'Name of the last tag of the previous page.'),
};

type TagFilter = ParameterValues<typeof listTagsParams>;

/** Returns a page of tags, filtered by `search`. Commits and annotations are read for the page only. */
export async function loadTagPage(
  git: Git,
  project: TagRow['project'] & VersionedRepository,
  filter: TagFilter,
  page: OffsetRequest,
): Promise<ListPage<TagRow> | Failure<'tokenInvalid'>> {
  const { order_by, sort, search } = filter;
  const allTags = await listRefs(git, getRepository(git, project), TAGS, getRefVersion(project));
  const sign = sort === 'asc' ? 1 : -1;
  const sortedTags = await sortCooperatively(allTags, (a, b) => sign * compareRefs(order_by, a, b));
  const refPage = paginate(search ? await searchRefs(sortedTags, search, getTagName) : sortedTags, filter, page);
  return isFailure(refPage) ? refPage : { ...refPage, items: await loadTags(git, project, refPage.items) };
}

/** Returns a page of the sorted tags, by page number or after the tag in `page_token`. */
function paginate(
  sortedTags: readonly Ref[],
  { search, pagination, page_token: token, order_by, sort }: TagFilter,
  page: OffsetRequest,
) {
  if (pagination !== 'keyset') return paginateInMemory(sortedTags, page);
  const sign = sort === 'asc' ? 1 : -1;
  const isAfterName = (ref: Ref, name: string) => sign * compareNames(order_by, getTagName(ref), name) > 0;
  return paginateByToken(sortedTags, {
    pageToken: token,
    getName: getTagName,
    isAfter: order_by === 'updated' ? null : createSearchOrder(search, getTagName, isAfterName),
    perPage: page.perPage,
  });
}

function getTagName(ref: Ref): string {
  return ref.name.slice(TAGS.length);
}

function compareRefs(order: TagFilter['order_by'], a: Ref, b: Ref): number {
  if (order === 'updated')
    return (a.taggedAt ?? a.committedAt) - (b.taggedAt ?? b.committedAt) || compareText(a.name, b.name);
  return compareNames(order, getTagName(a), getTagName(b));
}

function compareNames(order: TagFilter['order_by'], a: string, b: string): number {
  return (order === 'version' ? compareVersions(a, b) : 0) || compareText(a, b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares versions: `v1.10` comes after `v1.9`, and a pre-release (`-rc1`) before its release. */
export function compareVersions(a: string, b: string): number {
  const leftParts = splitVersion(a);
  const rightParts = splitVersion(b);
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index++) {
    const leftPart = leftParts[index];
    const right = rightParts[index];
    if (leftPart === undefined) return right?.startsWith('-') ? 1 : -1;
    if (right === undefined) return leftPart.startsWith('-') ? -1 : 1;
    if (leftPart === right) continue;
    const areNumbers = /^\d+$/.test(leftPart) && /^\d+$/.test(right);
    const order = areNumbers ? Number(leftPart) - Number(right) : compareText(leftPart, right);
    if (order !== 0) return order;
  }
  return 0;
}

/** Splits a name into numbers, pre-release parts (`-rc`) and other text. */
function splitVersion(name: string): string[] {
  return name.match(/\d+|-[^\d.]*|[^\d.-]+/g) ?? [];
}

/** Maximum size of a message in a list (contract/conventions.md §3 "Limits of texts"). */
const MAX_MESSAGE_BYTES = 1024 * 1024;

function truncateMessage(tag: Tag | null): Tag | null {
  return tag && { ...tag, message: truncateToBytes(tag.message, MAX_MESSAGE_BYTES) };
}

/** Returns the id of the commit to which a tag leads; empty if it leads to none. A tag of a tag needs an extra lookup. */
async function resolveCommitId(git: Git, repository: Repository, { id, type, commitId }: Ref): Promise<string> {
  if (commitId !== null || type !== 'tag') return commitId ?? '';
  return (await getObjectInfo(git, repository, `${id}^{commit}`))?.id ?? '';
}

/** Loads the annotations and commits of these refs. */
async function loadTags(git: Git, project: TagRow['project'], refs: readonly Ref[]): Promise<TagRow[]> {
  const repository = getRepository(git, project);
  const commits = await readCommits(
    git,
    repository,
    await Promise.all(refs.map((ref) => resolveCommitId(git, repository, ref))),
  );
  return Promise.all(
    refs.map(async (ref, index) => ({
      project,
      name: getTagName(ref),
      target: ref.id,
      annotation: ref.type === 'tag' ? truncateMessage(await readTag(git, repository, ref.id)) : null,
      commit: commits[index] ?? null,
    })),
  );
}

/** Returns the tag of this name, or null. */
export async function findTag(git: Git, project: TagRow['project'], name: string): Promise<TagRow | null> {
  const target = await resolveRef(getRepository(git, project), TAGS + name);
  return target === null ? null : loadTag(git, project, name, target);
}

/** Returns the tag with this name and target, which the caller knows already. */
export async function loadTag(git: Git, project: TagRow['project'], name: string, target: string): Promise<TagRow> {
  const repository = getRepository(git, project);
  const annotation = await readTag(git, repository, target);
  // `^{commit}` follows an annotated tag to its commit. A lightweight tag is a ref to the commit itself.
  const info = annotation ? await getObjectInfo(git, repository, `${target}^{commit}`) : { id: target };
  const commit = info && (await readCommit(git, repository, info.id));
  return { project, name, target, annotation, commit };
}
