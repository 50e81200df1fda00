import { stillInProject } from '#authorization/current-access.ts';
import { inPieces } from '#events/batches.ts';
import { open, signedIn } from '#http/access/access.ts';
import { inProject, inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { accepted, created, ok, page } from '#http/endpoint/responses.ts';
import { GONE, INVALID, READ_ONLY } from '#http/errors/error-messages.ts';
import { atLeastOne, optional, required } from '#http/parameters/declarations.ts';
import { ruledText, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { forUser, ofUser, updatingProject } from './access.ts';
import { archive, unarchive } from './archive.ts';
import { attributeNames, attributeParams } from './attributes/attributes.ts';
import { create } from './creation/create.ts';
import { remove } from './deletion/delete.ts';
import { restore } from './deletion/mark-for-deletion.ts';
import { Project, ReadProject, ShownProject } from './entities.ts';
import { PROJECTS_KEYSET } from './listing/list.ts';
import { listedProjects, UNPAIRED } from './listing/list-page.ts';
import { attributeValues, creationParams, importParams, projectListParams, projectWish } from './parameters.ts';
import { TRANSFER_REFUSALS, TRANSFER_TAKEN, transfer } from './transfer.ts';
import { TAKEN } from './unique-errors.ts';
import { update } from './update.ts';

const NO_IMPORT = { importUnsupported: [400, '400 Bad request - import_url is not supported'] } as const;
const NOT_CREATED = {
  invalid: INVALID,
  ...NO_IMPORT,
  limitReached: [
    403,
    { message: ["You've reached your limit of {limit} projects created. Contact your administrator."] },
  ],
} as const;
const CREATED = ['created Project', 'project_created', 'protected_branch_created', 'pushed new branch'] as const;

export const listProjects = endpoint({
  get: '/projects',
  summary: 'List the projects that the caller sees',
  access: open(),
  params: projectListParams,
  keyset: PROJECTS_KEYSET,
  errors: UNPAIRED,
  response: page(ShownProject),
  read: (db, { caller, params, page }) => listedProjects(db, caller, params, page),
});

export const createProject = endpoint({
  post: '/projects',
  summary: 'Create a project',
  access: signedIn(),
  params: { ...attributeParams, namespace_id: optional(integer), ...creationParams },
  rules: [atLeastOne('name', 'path')],
  errors: NOT_CREATED,
  uniqueErrors: TAKEN,
  activity: CREATED,
  response: created(Project),
  handle({ caller, params }, services) {
    const origin = { creatorId: caller.user.id, namespaceId: params.namespace_id ?? null };
    return create(services, caller, origin, projectWish(params));
  },
});

export const createProjectForUser = endpoint({
  post: '/projects/user/:user_id',
  summary: "Create a project in a user's own namespace",
  access: forUser(),
  params: { ...attributeParams, name: required(ruledText(255)), ...creationParams },
  errors: NOT_CREATED,
  uniqueErrors: TAKEN,
  activity: CREATED,
  response: created(Project),
  handle: ({ caller, user, params }, services) =>
    create(services, caller, { creatorId: user.id, namespaceId: null }, projectWish(params)),
});

export const readProject = endpoint({
  get: '/projects/:id',
  summary: 'Read a project',
  access: inPublicProject('read_project'),
  params: { statistics: optional(boolean, false), license: optional(boolean, false) },
  response: ok(ReadProject),
  read: (_db, { project }) => project,
});

export const updateProject = endpoint({
  put: '/projects/:id',
  summary: 'Change a project',
  access: updatingProject(),
  params: { ...attributeParams, ...importParams },
  rules: [atLeastOne(...attributeNames, ...Object.keys(importParams))],
  errors: {
    invalid: INVALID,
    ...NO_IMPORT,
    gone: GONE.Project,
    readOnly: READ_ONLY,
    busy: [503, '503 Service Unavailable'],
    noSuchBranch: [400, { message: { base: ["Could not change HEAD: branch '{branch}' does not exist"] } }],
  },
  uniqueErrors: TAKEN,
  activity: [
    'project_name_updated',
    'project_path_updated',
    'project_description_updated',
    'project_visibility_level_updated',
  ],
  response: ok(Project),
  handle: ({ caller, project, params }, services) =>
    params.import_url ? fail('importUnsupported') : update(services, caller, project, attributeValues(params)),
});

export const deleteProject = endpoint({
  delete: '/projects/:id',
  summary: 'Schedule the deletion of a project, or destroy a scheduled one',
  access: inProject('remove_project'),
  params: { permanently_remove: optional(boolean, false), full_path: optional(string) },
  lastModified: ({ project }) => project.updated_at,
  errors: {
    notMarked: [400, 'Project must be marked for deletion first.'],
    alreadyMarked: [400, 'Project has already been marked for deletion'],
    wrongPath: [400, '`full_path` is incorrect. You must enter the complete path for the project.'],
    moving: [
      400,
      "Couldn't remove the project. A project repository storage move is in progress. Try again when it's complete.",
    ],
  },
  activity: ['project_destroyed'],
  response: accepted,
  handle: ({ caller, project, params }, { runUnitOfWork }) =>
    inPieces(runUnitOfWork, caller, {
      // Of what has begun to go nobody has anything any more.
      ask: async (uow, begun) => (begun ? undefined : stillInProject(uow, caller, project.id, 'remove_project')),
      piece: (uow) => remove(uow, project, { permanently: params.permanently_remove, fullPath: params.full_path }),
    }),
});

export const restoreProject = endpoint({
  post: '/projects/:id/restore',
  summary: 'Take back the scheduled deletion of a project',
  access: inProject('remove_project'),
  errors: { notMarked: [400, 'Project has not been marked for deletion'], gone: GONE.Project },
  response: created(Project),
  handle: ({ caller, project }, { runUnitOfWork }) =>
    runUnitOfWork(caller, (uow) => restore(uow, project), { againWhenTaken: Object.keys(TAKEN) }),
});

export const archiveProject = endpoint({
  post: '/projects/:id/archive',
  summary: 'Archive a project',
  access: inProject('archive_project'),
  errors: {
    gone: GONE.Project,
    alreadyArchived: [400, 'Project is already archived.'],
    archivedAbove: [400, 'Cannot archive project since one of the ancestors is already archived.'],
    scheduledForDeletion: [400, 'Cannot archive project since it is scheduled for deletion.'],
  },
  activity: ['project_archived'],
  response: created(Project),
  write: (uow, { project }) => archive(uow, project),
});

export const unarchiveProject = endpoint({
  post: '/projects/:id/unarchive',
  summary: 'Bring an archived project back',
  access: inProject('archive_project'),
  errors: {
    gone: GONE.Project,
    archivedAbove: [400, 'Cannot unarchive project since one of the ancestors is archived.'],
    scheduledForDeletion: [400, 'Cannot unarchive project since it is scheduled for deletion.'],
  },
  activity: ['project_unarchived'],
  response: created(Project),
  write: (uow, { project }) => unarchive(uow, project),
});

export const transferProject = endpoint({
  put: '/projects/:id/transfer',
  summary: 'Move a project to another namespace',
  access: inProject('transfer_project'),
  params: { namespace: required(string) },
  errors: TRANSFER_REFUSALS,
  uniqueErrors: TRANSFER_TAKEN,
  activity: ['project_namespace_updated'],
  response: ok(Project),
  write: (uow, { project, params }) => transfer(uow, project, params.namespace),
});

export const listUserProjects = endpoint({
  get: '/users/:user_id/projects',
  summary: "List the projects in a user's own namespace that the caller sees",
  access: ofUser(),
  params: projectListParams,
  errors: UNPAIRED,
  response: page(ShownProject),
  read: (db, { caller, user, params, page }) => listedProjects(db, caller, params, page, { ownerId: user.id }),
});
