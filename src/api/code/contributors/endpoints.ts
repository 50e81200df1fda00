import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import { Contributor } from './entities.ts';
import { loadContributorPage } from './list.ts';

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
