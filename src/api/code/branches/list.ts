import type { RE2JS } from 're2js';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { listRefs, type Ref } from '#git/refs/refs.ts';
import { slice } from '#http/lists/in-memory-page.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { pageBehind } from '#http/lists/token-pagination.ts';
import { behindInSearch, searchRefs } from '#repositories/branches/ref-search.ts';
import { refVersion, repositoryOf } from '#repositories/repository.ts';
import { givingWay, sortedInTurns } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readExpression } from '#text/safe-regex.ts';
import type { BranchRow } from './entities.ts';

const nameOf = (ref: Ref) => ref.name.slice(HEADS.length);

interface BranchFilter {
  readonly search?: string | null | undefined;
  readonly regex?: string | null | undefined;
  readonly sort?: string | null | undefined;
  readonly pagination?: string | null | undefined;
  readonly page_token?: string | null | undefined;
}

/** A page of the branches by name, or by the age of their tips. Commits are read for the page only. */
export async function branchPage(
  git: Git,
  project: Project,
  filter: BranchFilter,
  page: OffsetRequest,
): Promise<Page<BranchRow> | Failure<'regexInvalid' | 'tokenInvalid'>> {
  const pattern = filter.regex ? readExpression(filter.regex) : null;
  if (typeof pattern === 'string') return fail('regexInvalid');
  const all = await listRefs(git, repositoryOf(git, project), HEADS, refVersion(project));
  const found = pattern === null ? all : await matching(all, pattern);
  const { search } = filter;
  const sorted = await sortRefs(found, filter.sort);
  const cut = cutOf(search ? await searchRefs(sorted, search, nameOf) : sorted, filter, page);
  return isFailure(cut) ? cut : { ...cut, items: await branchesOf(git, project, cut.items) };
}

function cutOf(
  sorted: readonly Ref[],
  { search, pagination, page_token: token, sort }: BranchFilter,
  page: OffsetRequest,
) {
  if (pagination !== 'keyset') return slice(sorted, page);
  const behind = isByAge(sort) ? null : behindInSearch(search, nameOf, isBehind);
  return pageBehind(sorted, { token, nameOf, isBehind: behind, perPage: page.perPage });
}

/** Bytewise, as git sorts names. */
const isBehind = (ref: Ref, name: string) => Buffer.from(nameOf(ref)).compare(Buffer.from(name)) > 0;

const isByAge = (sort: string | null | undefined) => sort === 'updated_asc' || sort === 'updated_desc';

/** Of many branches, each of which takes its time: others have their turn between them. */
async function matching(all: readonly Ref[], pattern: RE2JS): Promise<readonly Ref[]> {
  const giveWay = givingWay();
  const found: Ref[] = [];
  for (const ref of all) {
    if (pattern.matcher(nameOf(ref)).find()) found.push(ref);
    await giveWay();
  }
  return found;
}

async function sortRefs(refs: readonly Ref[], sort: string | null | undefined): Promise<readonly Ref[]> {
  if (!isByAge(sort)) return refs;
  const sign = sort === 'updated_asc' ? 1 : -1;
  return sortedInTurns(refs, (a, b) => sign * (a.committedAt - b.committedAt) || (a.name < b.name ? -1 : 1));
}

async function branchesOf(git: Git, project: Project, refs: readonly Ref[]): Promise<BranchRow[]> {
  const commits = await readCommits(
    git,
    repositoryOf(git, project),
    refs.map((ref) => ref.id),
  );
  return refs.flatMap((ref, index) => {
    const commit = commits[index];
    return commit ? [{ project, name: nameOf(ref), commit }] : [];
  });
}
