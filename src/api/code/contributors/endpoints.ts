import { Type } from 'typebox';
import { contributorsTo, type Contributor as GitContributor } from '../../../git/contributors.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { inPublicProject } from '../../../http/access/project-access.ts';
import { mapPage, page, shape } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { slice } from '../../../http/lists/slice.ts';
import { optional } from '../../../http/parameters/declarations.ts';
import { oneOf, text } from '../../../http/parameters/types.ts';
import { refused } from '../../../refused.ts';
import { repositoryOf } from '../../../repositories/repository.ts';

/** `additions` and `deletions` are always 0: clients look for the keys and nobody counts any more. */
const Contributor = shape('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer(),
  additions: Type.Literal(0),
  deletions: Type.Literal(0),
});

const contributorEntity = ({ name, email, commits }: GitContributor) => ({
  name,
  email,
  commits,
  additions: 0 as const,
  deletions: 0 as const,
});

type Order = 'name' | 'email' | 'commits';

function compare(order: Order, a: GitContributor, b: GitContributor): number {
  if (order === 'commits') return a.commits - b.commits;
  return a[order] < b[order] ? -1 : a[order] > b[order] ? 1 : 0;
}

export const listContributors = endpoint({
  get: '/projects/:id/repository/contributors',
  summary: 'List the authors of a repository',
  access: inPublicProject('read_code'),
  params: {
    ref: optional(text),
    order_by: optional(oneOf('email', 'name', 'commits'), 'commits'),
    sort: optional(oneOf('asc', 'desc'), 'asc'),
  },
  refuses: { refUnknown: [404, '404 Not Found'] },
  answer: page(Contributor),
  async handle({ git, project, params, page }) {
    if (project.empty) return slice([], page);
    const repository = repositoryOf(git, project);
    const commit = await resolveRevision(git, repository, params.ref?.trim() || 'HEAD');
    if (commit === null) return refused('refUnknown');
    const sign = params.sort === 'asc' ? 1 : -1;
    const all = await contributorsTo(git, repository, commit);
    const sorted = all.toSorted((a, b) => sign * (compare(params.order_by, a, b) || compare('email', a, b)));
    return mapPage(slice(sorted, page), (some) => some.map(contributorEntity));
  },
});
