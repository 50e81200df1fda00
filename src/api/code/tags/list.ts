import type { Git } from '#git/git.ts';
import { objectInfo, readCommits, readTag, type Tag } from '#git/objects/object-reader.ts';
import { TAGS } from '#git/ref-names.ts';
import { listRefs, type Ref } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { slice } from '#http/lists/in-memory-page.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { pageBehind } from '#http/lists/token-pagination.ts';
import { behindInSearch, searchRefs } from '#repositories/branches/ref-search.ts';
import { refVersion, repositoryOf, type Versioned } from '#repositories/repository.ts';
import { sortedInTurns } from '#runtime/concurrency-limiter.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { firstBytes } from '#text/trim.ts';
import type { TagRow } from './entities.ts';

interface TagFilter {
  readonly order_by: 'name' | 'updated' | 'version';
  readonly sort: 'asc' | 'desc';
  readonly search?: string | null | undefined;
  readonly pagination?: string | null | undefined;
  readonly page_token?: string | null | undefined;
}

/** A page of the tags, those that a search finds. Commits and annotations are read for the page only. */
export async function tagPage(
  git: Git,
  project: TagRow['project'] & Versioned,
  filter: TagFilter,
  page: OffsetRequest,
): Promise<Page<TagRow> | Failure<'tokenInvalid'>> {
  const { order_by, sort, search } = filter;
  const all = await listRefs(git, repositoryOf(git, project), TAGS, refVersion(project));
  const sign = sort === 'asc' ? 1 : -1;
  const sorted = await sortedInTurns(all, (a, b) => sign * compare(order_by, a, b));
  const found = cutOf(search ? await searchRefs(sorted, search, nameOf) : sorted, filter, page);
  return isFailure(found) ? found : { ...found, items: await tagsOf(git, project, found.items) };
}

function cutOf(
  sorted: readonly Ref[],
  { search, pagination, page_token: token, order_by, sort }: TagFilter,
  page: OffsetRequest,
) {
  if (pagination !== 'keyset') return slice(sorted, page);
  const sign = sort === 'asc' ? 1 : -1;
  const isBehind = (ref: Ref, name: string) => sign * compareNames(order_by, nameOf(ref), name) > 0;
  return pageBehind(sorted, {
    token,
    nameOf,
    isBehind: order_by === 'updated' ? null : behindInSearch(search, nameOf, isBehind),
    perPage: page.perPage,
  });
}

function nameOf(ref: Ref): string {
  return ref.name.slice(TAGS.length);
}

function compare(order: TagFilter['order_by'], a: Ref, b: Ref): number {
  if (order === 'updated')
    return (a.taggedAt ?? a.committedAt) - (b.taggedAt ?? b.committedAt) || compareText(a.name, b.name);
  return compareNames(order, nameOf(a), nameOf(b));
}

function compareNames(order: TagFilter['order_by'], a: string, b: string): number {
  return (order === 'version' ? compareVersions(a, b) : 0) || compareText(a, b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `v1.10` after `v1.9`: runs of digits by their number; a pre-release (`-rc1`) before its release. */
export function compareVersions(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const one = left[index];
    const other = right[index];
    if (one === undefined) return other?.startsWith('-') ? 1 : -1;
    if (other === undefined) return one.startsWith('-') ? -1 : 1;
    if (one === other) continue;
    const numbers = /^\d+$/.test(one) && /^\d+$/.test(other);
    const order = numbers ? Number(one) - Number(other) : compareText(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

function partsOf(name: string): string[] {
  return name.match(/\d+|-[^\d.]*|[^\d.-]+/g) ?? [];
}

/** What was pushed with a tag, as long as lists show it (contract/conventions.md §3 "Limits of texts"). */
function listed(tag: Tag | null): Tag | null {
  return tag && { ...tag, message: firstBytes(tag.message, 1024 * 1024) };
}

/** The list of refs knows what a tag names; of one that names another tag, what is at the end of them is asked for. */
async function commitOf(git: Git, repository: Repository, { id, type, commitId }: Ref): Promise<string> {
  if (commitId !== null || type !== 'tag') return commitId ?? '';
  return (await objectInfo(git, repository, `${id}^{commit}`))?.id ?? '';
}

async function tagsOf(git: Git, project: TagRow['project'], refs: readonly Ref[]): Promise<TagRow[]> {
  const repository = repositoryOf(git, project);
  const commits = await readCommits(
    git,
    repository,
    await Promise.all(refs.map((ref) => commitOf(git, repository, ref))),
  );
  return Promise.all(
    refs.map(async (ref, index) => ({
      project,
      name: nameOf(ref),
      target: ref.id,
      annotation: ref.type === 'tag' ? listed(await readTag(git, repository, ref.id)) : null,
      commit: commits[index] ?? null,
    })),
  );
}
