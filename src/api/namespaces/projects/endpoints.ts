import { withCustomAttributes } from '#api/identity/custom-attributes/index.ts';
import { requireProjectAccess } from '#authorization/current-access.ts';
import { runInBatches } from '#events/batches.ts';
import { open, signedIn } from '#http/access/access.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { accepted, created, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, PARENT_NOT_FOUND, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { atLeastOne, describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, string } from '#http/parameters/texts.ts';
import { boolean, integer, unsupportedPicture } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { onBehalfOfUserAccess, updateProjectAccess, userAccess } from './access.ts';
import { projectAttributeNames, projectAttributeParams } from './attributes/attributes.ts';
import * as changes from './changes.ts';
import { createProjectWithRepository } from './create.ts';
import { markOrDestroyProject, restoreMarkedProject } from './delete.ts';
import { Project, ProjectForCaller, ProjectWithRunnersToken, SavedProject } from './entities.ts';
import { listProjectsByParams, PROJECTS_KEYSET, UPDATED_AT_ERRORS } from './listing/list.ts';
import { creationParams, importParams, pickAttributes, projectListParams, toCreateProjectInput } from './parameters.ts';
import { updateProjectAttributes } from './update.ts';
import { PROJECT_UNIQUE_ERRORS } from './validation.ts';

const IMPORT_ERRORS = { importUnsupported: [400, '400 Bad request - import_url is not supported'] } as const;
const CREATE_ERRORS = {
  invalid: INVALID,
  ...IMPORT_ERRORS,
  limitReached: [
    403,
    { message: ["You've reached your limit of {limit} projects created. Contact your administrator."] },
  ],
} as const;
const CREATE_ACTIVITY = [
  'created Project',
  'project_created',
  'protected_branch_created',
  'pushed new branch',
] as const;

export const listProjects = endpoint({
  get: '/projects',
  summary: 'List visible projects',
  description:
    'Returns the projects that the caller can see, newest first by default. Anonymous callers, and all callers with ' +
    '`simple`, get fewer fields. Other callers also get `permissions`: their role and notification level by project ' +
    'and by group. Orders by size are for administrators only; other callers get the order by creation.',
  access: open(),
  params: projectListParams,
  keyset: PROJECTS_KEYSET,
  errors: UPDATED_AT_ERRORS,
  response: page(ProjectForCaller),
  read: (db, { caller, params, page }) => listProjectsByParams(db, caller, params, page),
});

export const createProject = endpoint({
  post: '/projects',
  summary: 'Create a project',
  description:
    'Creates a project in a group or in the personal namespace of the caller, with an empty repository, or with a ' +
    'first commit if `initialize_with_readme` is set. A group requires the role that its `project_creation_level` ' +
    'names; personal projects count towards `projects_limit`. A visibility above that of the group is lowered. ' +
    'Without `path`, the path is derived from the name.',
  access: signedIn(),
  params: {
    ...projectAttributeParams,
    namespace_id: describe(
      optional(integer),
      'Id of the group or personal namespace; absent: the personal namespace of the caller.',
    ),
    ...creationParams,
  },
  rules: [atLeastOne('name', 'path')],
  errors: CREATE_ERRORS,
  uniqueErrors: PROJECT_UNIQUE_ERRORS,
  activity: CREATE_ACTIVITY,
  response: created(SavedProject),
  handle({ caller, params }, services) {
    const creatorAndNamespace = { creatorId: caller.user.id, namespaceId: params.namespace_id ?? null };
    return createProjectWithRepository(services, caller, creatorAndNamespace, toCreateProjectInput(params));
  },
});

export const createProjectForUser = endpoint({
  post: '/projects/user/:user_id',
  summary: 'Create a project for a user',
  description:
    'Creates a project in the personal namespace of the user, who becomes its creator and Owner. It counts towards ' +
    'the `projects_limit` of the user.',
  access: onBehalfOfUserAccess(),
  params: { ...projectAttributeParams, name: required(domainValidatedText(255)), ...creationParams },
  errors: CREATE_ERRORS,
  uniqueErrors: PROJECT_UNIQUE_ERRORS,
  activity: CREATE_ACTIVITY,
  response: created(SavedProject),
  handle: ({ caller, user, params }, services) =>
    createProjectWithRepository(
      services,
      caller,
      { creatorId: user.id, namespaceId: null },
      toCreateProjectInput(params),
    ),
});

export const getProject = endpoint({
  get: '/projects/:id',
  summary: 'Get a project',
  description:
    'Returns the project with its settings. Settings of CI/CD are shown to Maintainers only, who also get ' +
    '`runners_token` if registration tokens are allowed. Anonymous callers get the simple form. The old path of a ' +
    'moved project answers 301.',
  access: inProjectAllowingAnonymous('read_project'),
  params: {
    statistics: describe(optional(boolean, false), 'Adds `statistics`, if the caller is at least Reporter.'),
    license: describe(optional(boolean, false), 'Adds `license` and `license_url`, detected from the license file.'),
    ...withCustomAttributes,
  },
  response: ok(ProjectWithRunnersToken),
  read: (_db, { project }) => project,
});

export const updateProject = endpoint({
  put: '/projects/:id',
  summary: 'Update a project',
  description:
    'Changes the sent attributes; absent ones stay unchanged. At least one is required. Only Owners can change ' +
    '`visibility`, which cannot exceed that of the group. After a change of name or path, the old path redirects. An ' +
    'administrator who sends `repository_storage` starts a move of the repository.',
  access: updateProjectAccess(),
  params: { ...projectAttributeParams, ...importParams, avatar: optional(unsupportedPicture) },
  rules: [atLeastOne(...projectAttributeNames, ...Object.keys(importParams))],
  errors: {
    invalid: INVALID,
    ...IMPORT_ERRORS,
    notFound: PARENT_NOT_FOUND.Project,
    readOnly: REPOSITORY_READ_ONLY,
    busy: [503, '503 Service Unavailable'],
    noSuchBranch: [400, { message: { base: ["Could not change HEAD: branch '{branch}' does not exist"] } }],
  },
  uniqueErrors: PROJECT_UNIQUE_ERRORS,
  activity: [
    'project_name_updated',
    'project_path_updated',
    'project_description_updated',
    'project_visibility_level_updated',
  ],
  response: ok(SavedProject),
  handle: ({ caller, project, params }, services) =>
    params.import_url
      ? fail('importUnsupported')
      : updateProjectAttributes(services, caller, project, pickAttributes(params)),
});

export const deleteProject = endpoint({
  delete: '/projects/:id',
  summary: 'Delete a project',
  description:
    'Marks the project for deletion: archives and renames it, so that its path is free immediately. A daily job destroys ' +
    'it after `deletion_adjourned_period` days. Until then it can be restored. With `permanently_remove` and its ' +
    'exact `full_path`, a marked project is destroyed immediately.',
  access: inProject('remove_project'),
  params: {
    permanently_remove: describe(
      optional(boolean, false),
      'Destroys a project that is marked for deletion; requires `full_path`.',
    ),
    full_path: describe(optional(string), 'Current full path of the project, as a confirmation.'),
  },
  lastModified: ({ project }) => project.updated_at,
  errors: {
    notMarked: [400, 'Project must be marked for deletion first.'],
    alreadyMarked: [400, 'Project has already been marked for deletion'],
    pathMismatch: [400, '`full_path` is incorrect. You must enter the complete path for the project.'],
    repositoryMoving: [
      400,
      "Couldn't remove the project. A project repository storage move is in progress. Try again when it's complete.",
    ],
  },
  activity: ['project_destroyed'],
  response: accepted,
  handle: ({ caller, project, params }, { runUnitOfWork }) =>
    runInBatches(runUnitOfWork, caller, {
      // After the first batch nobody has access, so the permission is checked only before it.
      recheck: async (uow, isStarted) =>
        isStarted ? undefined : requireProjectAccess(uow, caller, project.id, 'remove_project'),
      runBatch: (uow) =>
        markOrDestroyProject(uow, project, { permanently: params.permanently_remove, fullPath: params.full_path }),
    }),
});

export const restoreProject = endpoint({
  post: '/projects/:id/restore',
  summary: 'Restore a project that is scheduled for deletion',
  description:
    'Restores a project that is marked for deletion, unarchived, under its former name and path. If these are taken, ' +
    'both get a random suffix.',
  access: inProject('remove_project'),
  errors: { notMarked: [400, 'Project has not been marked for deletion'], notFound: PARENT_NOT_FOUND.Project },
  response: created(Project),
  handle: ({ caller, project }, { runUnitOfWork }) =>
    runUnitOfWork(caller, (uow) => restoreMarkedProject(uow, project), {
      retryOnUniqueViolation: Object.keys(PROJECT_UNIQUE_ERRORS),
    }),
});

export const archiveProject = endpoint({
  post: '/projects/:id/archive',
  summary: 'Archive a project',
  description:
    'Makes the project read-only. The call fails if the project or a group above it is archived already, or if a ' +
    'group above it is marked for deletion.',
  access: inProject('archive_project'),
  errors: {
    notFound: PARENT_NOT_FOUND.Project,
    alreadyArchived: [400, 'Project is already archived.'],
    ancestorArchived: [400, 'Cannot archive project since one of the ancestors is already archived.'],
    scheduledForDeletion: [400, 'Cannot archive project since it is scheduled for deletion.'],
  },
  activity: ['project_archived'],
  response: created(Project),
  write: (uow, { project }) => changes.archiveProject(uow, project),
});

export const unarchiveProject = endpoint({
  post: '/projects/:id/unarchive',
  summary: 'Unarchive a project',
  description:
    'Makes an archived project writable again; a project that is not archived is returned unchanged. The call fails ' +
    'while a group above is archived. A project that is marked for deletion must be restored instead.',
  access: inProject('archive_project'),
  errors: {
    notFound: PARENT_NOT_FOUND.Project,
    ancestorArchived: [400, 'Cannot unarchive project since one of the ancestors is archived.'],
    scheduledForDeletion: [400, 'Cannot unarchive project since it is scheduled for deletion.'],
  },
  activity: ['project_unarchived'],
  response: created(Project),
  write: (uow, { project }) => changes.unarchiveProject(uow, project),
});

export const transferProject = endpoint({
  put: '/projects/:id/transfer',
  summary: 'Transfer a project',
  description:
    'Moves the project to the group or personal namespace with this id or full path. The target must be the personal ' +
    'namespace of the caller, or a group where they are at least Maintainer and may create projects. The project ' +
    'becomes at most as visible as the target, and its old path redirects.',
  access: inProject('transfer_project'),
  params: { namespace: describe(required(string), 'Id or full path of the target.') },
  errors: changes.TRANSFER_ERRORS,
  uniqueErrors: changes.TRANSFER_UNIQUE_ERRORS,
  activity: ['project_namespace_updated'],
  response: ok(Project),
  write: (uow, { project, params }) => changes.transferProject(uow, project, params.namespace),
});

export const listUserProjects = endpoint({
  get: '/users/:user_id/projects',
  summary: 'List the visible projects of a user',
  description:
    'Returns the projects in the personal namespace of the user that the caller can see, newest first by default. ' +
    'Anonymous callers get the simple form.',
  access: userAccess(),
  params: projectListParams,
  errors: UPDATED_AT_ERRORS,
  response: page(ProjectForCaller),
  read: (db, { caller, user, params, page }) => listProjectsByParams(db, caller, params, page, { ownerId: user.id }),
});
