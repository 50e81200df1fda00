import { isProfileVisibleTo } from '#api/identity/users/index.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, page } from '#http/endpoint/responses.ts';
import { NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { searchExpression } from '#http/parameters/texts.ts';
import {
  listProjectsByParams,
  Project,
  ProjectForCaller,
  projectListParams,
  UPDATED_AT_ERRORS,
  userAccess,
} from '../projects/index.ts';
import { Starrer } from './entities.ts';
import { star, unstar } from './star.ts';
import { listStarrers } from './store.ts';

export const starProject = endpoint({
  post: '/projects/:id/star',
  summary: 'Star a project',
  access: inProject('read_project'),
  errors: { alreadyStarred: NOT_MODIFIED },
  response: created(Project),
  write: (uow, { project }) => star(uow, project),
});

export const unstarProject = endpoint({
  post: '/projects/:id/unstar',
  summary: 'Unstar a project',
  access: inProject('read_project'),
  errors: { notStarred: NOT_MODIFIED },
  response: created(Project),
  write: (uow, { project }) => unstar(uow, project),
});

export const listProjectStarrers = endpoint({
  get: '/projects/:id/starrers',
  summary: 'List the users who starred a project',
  access: inProjectAllowingAnonymous('read_project'),
  params: { search: optional(searchExpression) },
  response: page(Starrer),
  read: (db, { project, caller, params, page }) =>
    listStarrers(db, project.id, { caller, search: params.search, page }),
});

export const listStarredProjects = endpoint({
  get: '/users/:user_id/starred_projects',
  summary: 'List the visible projects that a user starred',
  access: userAccess(),
  scopes: ['read_user'],
  params: projectListParams,
  errors: UPDATED_AT_ERRORS,
  response: page(ProjectForCaller),
  read: (db, { caller, user, params, page }) =>
    listProjectsByParams(db, caller, params, page, { starredBy: isProfileVisibleTo(caller, user) ? user.id : null }),
});
