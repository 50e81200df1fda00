import { Type } from 'typebox';
import { type Contributor as GitContributor, loadContributors } from '#git/commits/contributors.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { page } from '#http/endpoint/responses.ts';
import { type ListPage, type OffsetRequest, paginateInMemory } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { sortCooperatively } from '#runtime/yielding.ts';
import { truncateToCharacters } from '#text/trim.ts';

/** An author. `additions` and `deletions` are always 0: clients expect these fields, but lines are not counted. */
const Contributor = entity('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer(),
  additions: Type.Literal(0),
  deletions: Type.Literal(0),
}).from(({ name, email, commits }: GitContributor) => ({
  name: truncateToCharacters(name, MAX_NAME_LENGTH),
  email: truncateToCharacters(email, MAX_NAME_LENGTH),
  commits,
  additions: 0,
  deletions: 0,
}));

/** Maximum characters of names and email addresses (contract/conventions.md §3 "Limits of texts"). */
const MAX_NAME_LENGTH = 255;

const listContributorsParams = {
  ref: describe(optional(refName), 'Branch, tag or commit; absent: the default branch.'),
  order_by: optional(oneOf('email', 'name', 'commits'), 'commits'),
  sort: optional(oneOf('asc', 'desc'), 'asc'),
};

export const listContributors = endpoint({
  get: '/projects/:id/repository/contributors',
  summary: 'List the contributors of a repository',
  description:
    'Returns the authors of all commits that the ref contains, one element for each email address, with their number ' +
    'of commits. Lines are not counted, so `additions` and `deletions` are always 0.',
  access: inProjectAllowingAnonymous('read_code'),
  params: listContributorsParams,
  errors: { refUnknown: [404, '404 Not Found'] },
  response: page(Contributor),
  read: (_db, { project, params, page }, git) => loadContributorPage(git, project, params, page),
});

type ContributorFilter = ParameterValues<typeof listContributorsParams>;

/** Returns a page of the authors of all commits that a ref reaches. */
async function loadContributorPage(
  git: Git,
  project: LocatedRepository & { readonly empty: boolean },
  { ref, order_by, sort }: ContributorFilter,
  page: OffsetRequest,
): Promise<ListPage<GitContributor> | Failure<'refUnknown'>> {
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

function compareBy(order: ContributorFilter['order_by'], a: GitContributor, b: GitContributor): number {
  if (order === 'commits') return a.commits - b.commits;
  return a[order] < b[order] ? -1 : a[order] > b[order] ? 1 : 0;
}
