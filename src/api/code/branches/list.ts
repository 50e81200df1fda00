import type { Project } from '#domain/namespaces/projects.ts';
import { definePerGit, type Git } from '#git/git.ts';
import { readCommit, readCommits } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { isValidRefName, listRefs, type Ref } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { type ListPage, type OffsetRequest, paginateByToken, paginateInMemory } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { refName, searchExpression, string } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { createSearchOrder, searchRefs } from '#repositories/branches/ref-search.ts';
import { getRefVersion, getRepository } from '#repositories/repository.ts';
import { ClientDisconnected, createConcurrencyLimiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { createYielder, sortCooperatively } from '#runtime/yielding.ts';
import { compileRegex, getRegexCost, MAX_MATCHING_WORK } from '#text/safe-regex.ts';
import type { BranchRow } from './entities.ts';

const getBranchName = (ref: Ref) => ref.name.slice(HEADS.length);

export const listBranchesParams = {
  search: describe(
    optional(searchExpression),
    'Part of the name, ignoring case; `^` and `$` anchor it, `*` stands for any text.',
  ),
  regex: describe(optional(searchExpression), 'Regular expression (RE2) that the name must match, in the given case.'),
  sort: describe(
    optional(oneOf('name_asc', 'updated_asc', 'updated_desc')),
    'By name, which is the default, or by the date of the last commit.',
  ),
  pagination: describe(optional(string), '`keyset` selects keyset pagination with `page_token`.'),
  page_token: describe(optional(refName), 'Name of the last branch of the previous page.'),
};

type BranchFilter = ParameterValues<typeof listBranchesParams>;

/** Returns a page of branches, sorted by name or by the date of their last commit. Reads only the commits of the page. */
export async function loadBranchPage(
  git: Git,
  project: Project,
  filter: BranchFilter,
  page: OffsetRequest,
): Promise<ListPage<BranchRow> | Failure<'regexInvalid' | 'regexTooExpensive' | 'tokenInvalid'>> {
  const { regex } = filter;
  const allRefs = await listRefs(git, getRepository(git, project), HEADS, getRefVersion(project));
  const filteredRefs = regex ? await matchLimiter(git).run(() => filterByRegex(git, allRefs, regex), git) : allRefs;
  if (isFailure(filteredRefs)) return filteredRefs;
  const { search } = filter;
  const sortedRefs = await sortRefs(filteredRefs, filter.sort);
  const refPage = paginate(search ? await searchRefs(sortedRefs, search, getBranchName) : sortedRefs, filter, page);
  return isFailure(refPage) ? refPage : { ...refPage, items: await loadBranches(git, project, refPage.items) };
}

/** Returns a page of the sorted refs, by page number or after the branch in `page_token`. */
function paginate(
  sortedRefs: readonly Ref[],
  { search, pagination, page_token: token, sort }: BranchFilter,
  page: OffsetRequest,
) {
  if (pagination !== 'keyset') return paginateInMemory(sortedRefs, page);
  const isAfter = isSortedByDate(sort) ? null : createSearchOrder(search, getBranchName, isAfterName);
  return paginateByToken(sortedRefs, { pageToken: token, getName: getBranchName, isAfter, perPage: page.perPage });
}

/** Compares names bytewise, like git. */
const isAfterName = (ref: Ref, name: string) => Buffer.from(getBranchName(ref)).compare(Buffer.from(name)) > 0;

const isSortedByDate = (sort: string | null | undefined) => sort === 'updated_asc' || sort === 'updated_desc';

/** Limits concurrent matching of regular expressions, which blocks the event loop. */
const matchLimiter = definePerGit(() => createConcurrencyLimiter(2, { maxWaiting: 200, retryAfterSeconds: 5 }));

/**
 * Filters branches by a regular expression, within a budget of work. Yields to other requests in between and stops when the
 * client disconnects.
 */
async function filterByRegex(
  { client }: Git,
  refs: readonly Ref[],
  regex: string,
): Promise<readonly Ref[] | Failure<'regexInvalid' | 'regexTooExpensive'>> {
  const pattern = compileRegex(regex);
  if (typeof pattern === 'string') return fail('regexInvalid');
  const cost = getRegexCost(regex);
  const yieldToOthers = createYielder();
  const matchedRefs: Ref[] = [];
  let matchingWork = 0;
  for (const ref of refs) {
    const name = getBranchName(ref);
    matchingWork += cost * name.length;
    if (matchingWork > MAX_MATCHING_WORK) return fail('regexTooExpensive');
    if (pattern.matcher(name).find()) matchedRefs.push(ref);
    await yieldToOthers();
    if (client?.isDisconnected) throw new ClientDisconnected();
  }
  return matchedRefs;
}

/** Sorts refs by date if requested; branches with the same date by name. */
async function sortRefs(refs: readonly Ref[], sort: string | null | undefined): Promise<readonly Ref[]> {
  // Refs are listed by name already.
  if (!isSortedByDate(sort)) return refs;
  const sign = sort === 'updated_asc' ? 1 : -1;
  return sortCooperatively(refs, (a, b) => sign * (a.committedAt - b.committedAt) || (a.name < b.name ? -1 : 1));
}

/** Loads the commits of these refs. */
async function loadBranches(git: Git, project: Project, refs: readonly Ref[]): Promise<BranchRow[]> {
  const commits = await readCommits(
    git,
    getRepository(git, project),
    refs.map((ref) => ref.id),
  );
  return refs.flatMap((ref, index) => {
    const commit = commits[index];
    return commit ? [{ project, name: getBranchName(ref), commit }] : [];
  });
}

/**
 * Returns the branch of this name, or null if it does not exist. Accepts every name that git accepts, because a branch may have a
 * name that the API does not accept for new branches (`-x`).
 */
export async function findBranch(git: Git, project: Project, name: string): Promise<BranchRow | null> {
  const repository = getRepository(git, project);
  const tip = isValidRefName(HEADS + name) ? await findBranchHead(repository, name) : null;
  const commit = tip === null ? null : await readCommit(git, repository, tip);
  return commit === null ? null : { project, name, commit };
}

/** Returns the branch with this name and last commit (`tip`), which the caller knows already. */
export async function loadBranch(git: Git, project: Project, name: string, tip: string): Promise<BranchRow> {
  const commit = await readCommit(git, getRepository(git, project), tip);
  if (commit === null) throw new Error(`The tip ${tip} of branch ${name} is not a commit`);
  return { project, name, commit };
}
