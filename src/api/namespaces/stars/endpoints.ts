import { isProfileVisibleTo, UserBasic } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findProject, type Project as ProjectOfCaller } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, page } from '#http/endpoint/responses.ts';
import { NOT_MODIFIED } from '#http/errors/error-messages.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { searchExpression } from '#http/parameters/texts.ts';
import { type Failure, fail, requireRow } from '#runtime/failure.ts';
import {
  listProjectsByParams,
  Project,
  ProjectForCaller,
  projectListParams,
  UPDATED_AT_ERRORS,
  userAccess,
} from '../projects/index.ts';
import { addToStarCounts, deleteStar, insertStar, listStarrers, type StarRow } from './store.ts';

/** A user who has starred a project (contract/planning.md §3.3). */
const Starrer = entity('Starrer', { starred_since: dateTime, user: UserBasic.schema }).from(
  ({ starred_since, ...user }: StarRow, context) => ({ starred_since, user: UserBasic.serialize(user, context) }),
);

export const starProject = endpoint({
  post: '/projects/:id/star',
  summary: 'Star a project',
  description:
    'Adds the star of the caller, which raises `star_count`, and returns the project. The answer is 304 if the ' +
    'caller has starred it already.',
  access: inProject('read_project'),
  errors: { alreadyStarred: NOT_MODIFIED },
  response: created(Project),
  write: (uow, { project }) => star(uow, project),
});

export const unstarProject = endpoint({
  post: '/projects/:id/unstar',
  summary: 'Unstar a project',
  description:
    'Removes the star of the caller, which lowers `star_count`, and returns the project. The answer is 304 if the ' +
    'caller has not starred it.',
  access: inProject('read_project'),
  errors: { notStarred: NOT_MODIFIED },
  response: created(Project),
  write: (uow, { project }) => unstar(uow, project),
});

export const listProjectStarrers = endpoint({
  get: '/projects/:id/starrers',
  summary: 'List the users who starred a project',
  description:
    'Returns the users who starred the project, the newest star first. Users with a private profile are listed only ' +
    'for themselves and for administrators.',
  access: inProjectAllowingAnonymous('read_project'),
  params: {
    search: describe(
      optional(searchExpression),
      'Part of the name or username, or the whole public email address of a user.',
    ),
  },
  response: page(Starrer),
  read: (db, { project, caller, params, page }) =>
    listStarrers(db, project.id, { caller, search: params.search, page }),
});

export const listStarredProjects = endpoint({
  get: '/users/:user_id/starred_projects',
  summary: 'List the visible projects that a user starred',
  description:
    'Returns the projects starred by the user that the caller can see, newest project first by default. The list is ' +
    'empty if the profile of the user is private, except for the user and for administrators. Anonymous callers get ' +
    'the simple form.',
  access: userAccess(),
  scopes: ['read_user'],
  params: projectListParams,
  errors: UPDATED_AT_ERRORS,
  response: page(ProjectForCaller),
  read: (db, { caller, user, params, page }) =>
    listProjectsByParams(db, caller, params, page, { starredBy: isProfileVisibleTo(caller, user) ? user.id : null }),
});

/** Stars a project; fails if it is already starred. */
async function star(
  uow: UnitOfWork<SignedInCaller>,
  project: ProjectOfCaller,
): Promise<ProjectOfCaller | Failure<'alreadyStarred'>> {
  if (!(await insertStar(uow, project.id, uow.actor.user.id))) return fail('alreadyStarred');
  return updateStarCount(uow, project, 1);
}

/** Unstars a project; fails if it is not starred. */
async function unstar(
  uow: UnitOfWork<SignedInCaller>,
  project: ProjectOfCaller,
): Promise<ProjectOfCaller | Failure<'notStarred'>> {
  if (!(await deleteStar(uow, project.id, uow.actor.user.id))) return fail('notStarred');
  return updateStarCount(uow, project, -1);
}

/** Adds `delta` to the star count and returns the project. */
async function updateStarCount(uow: UnitOfWork, { id }: ProjectOfCaller, delta: 1 | -1): Promise<ProjectOfCaller> {
  await addToStarCounts(uow, [id], delta);
  return requireRow(await findProject(uow, uow.actor, String(id)));
}
