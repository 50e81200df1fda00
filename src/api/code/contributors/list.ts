import { type Contributor, contributorsTo } from '#git/commits/contributors.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { slice } from '#http/lists/in-memory-page.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import { sortedInTurns } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';

type Order = 'name' | 'email' | 'commits';

interface ContributorQuestion {
  readonly ref?: string | null | undefined;
  readonly order_by: Order;
  readonly sort: 'asc' | 'desc';
}

/** A page of the authors of all that a ref reaches. */
export async function contributorsPage(
  git: Git,
  project: Placed & { readonly empty: boolean },
  { ref, order_by, sort }: ContributorQuestion,
  page: OffsetRequest,
): Promise<Page<Contributor> | Failure<'refUnknown'>> {
  if (project.empty) return slice([], page);
  const repository = repositoryOf(git, project);
  const commit = await resolveRevision(git, repository, ref?.trim() || 'HEAD');
  if (commit === null) return fail('refUnknown');
  const sign = sort === 'asc' ? 1 : -1;
  const all = await contributorsTo(git, repository, commit);
  const sorted = await sortedInTurns(all, (a, b) => sign * (compare(order_by, a, b) || compare('email', a, b)));
  return slice(sorted, page);
}

function compare(order: Order, a: Contributor, b: Contributor): number {
  if (order === 'commits') return a.commits - b.commits;
  return a[order] < b[order] ? -1 : a[order] > b[order] ? 1 : 0;
}
