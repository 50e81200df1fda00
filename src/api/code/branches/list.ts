import { RE2JS } from 're2js';
import { mergedInto } from '../../../git/ancestry.ts';
import type { Git } from '../../../git/git.ts';
import { type Commit, readCommits } from '../../../git/objects.ts';
import { listRefs, type Ref } from '../../../git/refs.ts';
import { resolveRevisionAt } from '../../../git/revision.ts';
import type { Page } from '../../../http/endpoint/answers.ts';
import type { PageRequest } from '../../../http/lists/pagination.ts';
import { slice } from '../../../http/lists/slice.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { type Placed, refVersion, repositoryOf } from '../../../repositories/repository.ts';
import { searchRefs } from '../../../repositories/search.ts';
import type { BranchState } from './entities.ts';
import { keysetPage } from './keyset.ts';

const HEADS = 'refs/heads/';

const nameOf = (ref: Ref) => ref.name.slice(HEADS.length);

export interface BranchFilter {
  readonly search?: string | null | undefined;
  readonly regex?: string | null | undefined;
  readonly sort?: string | null | undefined;
  readonly pagination?: string | null | undefined;
  readonly page_token?: string | null | undefined;
}

export interface Branching extends Placed {
  readonly ref_state_version: number;
  readonly default_branch: string;
}

/** Branches by name, or by the age of their tips. Commits and `merged` are worked out for the page only. */
export async function listBranches(
  git: Git,
  project: Branching,
  filter: BranchFilter,
  page: PageRequest,
): Promise<Page<BranchState> | Refused<'regexInvalid' | 'tokenInvalid'>> {
  const pattern = filter.regex ? compile(filter.regex) : null;
  if (filter.regex && pattern === null) return refused('regexInvalid');
  const all = await listRefs(git, repositoryOf(git, project), HEADS, refVersion(project));
  const found = all.filter((ref) => pattern === null || pattern.matcher(nameOf(ref)).find());
  const { search } = filter;
  const matching = search ? searchRefs(found, search, nameOf) : found;
  const sorted = sortRefs(matching, filter.sort);
  const cut = cutOf(sorted, filter, page);
  return isRefused(cut) ? cut : { ...cut, items: await branchStates(git, project, cut.items) };
}

function cutOf(sorted: readonly Ref[], { pagination, page_token: token, sort }: BranchFilter, page: PageRequest) {
  if (pagination !== 'keyset') return slice(sorted, page);
  return keysetPage(sorted, { token, byName: !isByAge(sort), perPage: page.perPage });
}

const isByAge = (sort: string | null | undefined) => sort === 'updated_asc' || sort === 'updated_desc';

/** RE2 syntax, linear time; null for what is none (look-around, back references, unbalanced...). */
function compile(regex: string): RE2JS | null {
  try {
    return RE2JS.compile(regex);
  } catch {
    return null;
  }
}

function sortRefs(refs: readonly Ref[], sort: string | null | undefined): readonly Ref[] {
  if (!isByAge(sort)) return refs;
  const sign = sort === 'updated_asc' ? 1 : -1;
  return refs.toSorted((a, b) => sign * (a.committedAt - b.committedAt) || (a.name < b.name ? -1 : 1));
}

async function branchStates(git: Git, project: Branching, refs: readonly Ref[]): Promise<BranchState[]> {
  const commits = await readCommits(
    git,
    repositoryOf(git, project),
    refs.map((ref) => ref.id),
  );
  const tips = refs.flatMap((ref, index) => {
    const commit = commits[index];
    return commit ? [{ name: ref.name.slice(HEADS.length), commit }] : [];
  });
  return withMerged(git, project, tips);
}

/** `merged`: an ancestor of the default branch's tip, and not equal to it. */
export async function withMerged(
  git: Git,
  project: Branching,
  tips: readonly { readonly name: string; readonly commit: Commit }[],
): Promise<BranchState[]> {
  const repository = repositoryOf(git, project);
  const base = await resolveRevisionAt(git, repository, `refs/heads/${project.default_branch}`, refVersion(project));
  const others = tips.map(({ commit }) => commit.id).filter((id) => id !== base);
  const merged =
    base === null || others.length === 0 ? new Set<string>() : await mergedInto(git, repository, others, base);
  return tips.map(({ name, commit }) => ({ name, commit, merged: commit.id !== base && merged.has(commit.id) }));
}
