import { Type } from 'typebox';
import type { Contributor as GitContributor } from '#git/commits/contributors.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { truncateToCharacters } from '#text/trim.ts';
import { loadContributorPage } from './list.ts';

/** `additions` and `deletions` are always 0: clients expect the keys, but the values are not computed. */
const Contributor = entity('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer(),
  additions: Type.Literal(0),
  deletions: Type.Literal(0),
}).from(({ name, email, commits }: GitContributor) => ({
  name: truncateToCharacters(name, 255),
  email: truncateToCharacters(email, 255),
  commits,
  additions: 0,
  deletions: 0,
}));

export const listContributors = endpoint({
  get: '/projects/:id/repository/contributors',
  summary: 'List the contributors of a repository',
  access: inProjectAllowingAnonymous('read_code'),
  params: {
    ref: optional(refName),
    order_by: optional(oneOf('email', 'name', 'commits'), 'commits'),
    sort: optional(oneOf('asc', 'desc'), 'asc'),
  },
  errors: { refUnknown: [404, '404 Not Found'] },
  response: page(Contributor),
  read: (_db, { project, params, page }, git) => loadContributorPage(git, project, params, page),
});
