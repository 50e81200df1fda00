import { profileVisibleTo } from '#api/identity/users/index.ts';
import { inProject, inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, page } from '#http/endpoint/responses.ts';
import { NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { listedProjects, ofUser, Project, projectListParams, ShownProject, UNPAIRED } from '../projects/index.ts';
import { Starrer } from './entities.ts';
import { star, unstar } from './star.ts';
import { listStarrers } from './store.ts';

export const starProject = endpoint({
  post: '/projects/:id/star',
  summary: 'Star a project',
  access: inProject('read_project'),
  errors: { already: NOT_MODIFIED },
  response: created(Project),
  write: (uow, { project }) => star(uow, project),
});

export const unstarProject = endpoint({
  post: '/projects/:id/unstar',
  summary: 'Take the star from a project',
  access: inProject('read_project'),
  errors: { already: NOT_MODIFIED },
  response: created(Project),
  write: (uow, { project }) => unstar(uow, project),
});

export const listProjectStarrers = endpoint({
  get: '/projects/:id/starrers',
  summary: 'List who has starred a project',
  access: inPublicProject('read_project'),
  response: page(Starrer),
  read: (db, { project, caller, page }) => listStarrers(db, project.id, caller, page),
});

export const listStarredProjects = endpoint({
  get: '/users/:user_id/starred_projects',
  summary: 'List the projects that a user has starred, of those that the caller sees',
  access: ofUser(),
  scopes: ['read_user'],
  params: projectListParams,
  errors: UNPAIRED,
  response: page(ShownProject),
  read: (db, { caller, user, params, page }) =>
    listedProjects(db, caller, params, page, { starredBy: profileVisibleTo(caller, user) ? user.id : null }),
});
