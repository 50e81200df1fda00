import { type Contributor, loadContributors } from '#git/commits/contributors.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { type ListPage, type OffsetRequest, paginateInMemory } from '#http/lists/pagination.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { sortCooperatively } from '#runtime/yielding.ts';

type Order = 'name' | 'email' | 'commits';

interface ContributorFilter {
  readonly ref?: string | null | undefined;
  readonly order_by: Order;
  readonly sort: 'asc' | 'desc';
}

/** Returns a page of the authors of all commits that a ref reaches. */
export async function loadContributorPage(
  git: Git,
  project: LocatedRepository & { readonly empty: boolean },
  { ref, order_by, sort }: ContributorFilter,
  page: OffsetRequest,
): Promise<ListPage<Contributor> | Failure<'refUnknown'>> {
  if (project.empty) return paginateInMemory([], page);
  const repository = getRepository(git, project);
  const commit = await resolveRevision(git, repository, ref?.trim() || 'HEAD');
  if (commit === null) return fail('refUnknown');
  const sign = sort === 'asc' ? 1 : -1;
  const contributors = await loadContributors(git, repository, commit);
  const sortedContributors = await sortCooperatively(
    contributors,
    (a, b) => sign * (compareBy(order_by, a, b) || compareBy('email', a, b)),
  );
  return paginateInMemory(sortedContributors, page);
}

function compareBy(order: Order, a: Contributor, b: Contributor): number {
  if (order === 'commits') return a.commits - b.commits;
  return a[order] < b[order] ? -1 : a[order] > b[order] ? 1 : 0;
}
