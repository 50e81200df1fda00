import type { RE2JS } from 're2js';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { listRefs, type Ref } from '#git/refs/refs.ts';
import { paginateInMemory } from '#http/lists/in-memory-page.ts';
import type { ListPage } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { pageAfterToken } from '#http/lists/token-pagination.ts';
import { orderBySearch, searchRefs } from '#repositories/branches/ref-search.ts';
import { getRefVersion, getRepository } from '#repositories/repository.ts';
import { createYielder, sortCooperatively } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { compileRegex } from '#text/safe-regex.ts';
import type { BranchRow } from './entities.ts';

const branchName = (ref: Ref) => ref.name.slice(HEADS.length);

interface BranchFilter {
  readonly search?: string | null | undefined;
  readonly regex?: string | null | undefined;
  readonly sort?: string | null | undefined;
  readonly pagination?: string | null | undefined;
  readonly page_token?: string | null | undefined;
}

/** Returns a page of branches, sorted by name or by the age of their tips. Commits are read for the page only. */
export async function loadBranchPage(
  git: Git,
  project: Project,
  filter: BranchFilter,
  page: OffsetRequest,
): Promise<ListPage<BranchRow> | Failure<'regexInvalid' | 'tokenInvalid'>> {
  const pattern = filter.regex ? compileRegex(filter.regex) : null;
  if (typeof pattern === 'string') return fail('regexInvalid');
  const all = await listRefs(git, getRepository(git, project), HEADS, getRefVersion(project));
  const found = pattern === null ? all : await filterByPattern(all, pattern);
  const { search } = filter;
  const sorted = await sortRefs(found, filter.sort);
  const paginated = paginate(search ? await searchRefs(sorted, search, branchName) : sorted, filter, page);
  return isFailure(paginated) ? paginated : { ...paginated, items: await loadBranches(git, project, paginated.items) };
}

function paginate(
  sorted: readonly Ref[],
  { search, pagination, page_token: token, sort }: BranchFilter,
  page: OffsetRequest,
) {
  if (pagination !== 'keyset') return paginateInMemory(sorted, page);
  const isAfter = isSortedByAge(sort) ? null : orderBySearch(search, branchName, isAfterName);
  return pageAfterToken(sorted, { token, nameOf: branchName, isBehind: isAfter, perPage: page.perPage });
}

/** Compares names bytewise, like git. */
const isAfterName = (ref: Ref, name: string) => Buffer.from(branchName(ref)).compare(Buffer.from(name)) > 0;

const isSortedByAge = (sort: string | null | undefined) => sort === 'updated_asc' || sort === 'updated_desc';

/** Filters branches by a regular expression. Yields to other requests in between, since each match takes time. */
async function filterByPattern(all: readonly Ref[], pattern: RE2JS): Promise<readonly Ref[]> {
  const yieldToOthers = createYielder();
  const found: Ref[] = [];
  for (const ref of all) {
    if (pattern.matcher(branchName(ref)).find()) found.push(ref);
    await yieldToOthers();
  }
  return found;
}

async function sortRefs(refs: readonly Ref[], sort: string | null | undefined): Promise<readonly Ref[]> {
  if (!isSortedByAge(sort)) return refs;
  const sign = sort === 'updated_asc' ? 1 : -1;
  return sortCooperatively(refs, (a, b) => sign * (a.committedAt - b.committedAt) || (a.name < b.name ? -1 : 1));
}

async function loadBranches(git: Git, project: Project, refs: readonly Ref[]): Promise<BranchRow[]> {
  const commits = await readCommits(
    git,
    getRepository(git, project),
    refs.map((ref) => ref.id),
  );
  return refs.flatMap((ref, index) => {
    const commit = commits[index];
    return commit ? [{ project, name: branchName(ref), commit }] : [];
  });
}
