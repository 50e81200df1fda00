import { open, signedIn } from '../../../http/access/access.ts';
import { inProject, inPublicProject } from '../../../http/access/project-access.ts';
import { accepted, created, pageOf, shown } from '../../../http/endpoint/answers.ts';
import { endpoint, RECORD_ERRORS } from '../../../http/endpoint/endpoint.ts';
import { atLeastOne, optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, integer, text } from '../../../http/parameters/types.ts';
import { isRefused, refused } from '../../../refused.ts';
import { forUser, ofUser, updatingProject } from './access.ts';
import { archive, unarchive } from './archive.ts';
import { attributeNames, attributeParams } from './attributes.ts';
import { create } from './create.ts';
import { restore } from './deletion.ts';
import { Project, ShownProject } from './entities.ts';
import { PROJECTS_KEYSET, pageOfProjects } from './list.ts';
import { attributeValues, isUnpaired, projectListing, projectListParams } from './parameters.ts';
import { remove } from './remove.ts';
import { findTarget } from './target.ts';
import { TRANSFER_REFUSALS, transfer } from './transfer.ts';
import { update } from './update.ts';
import { written, writtenUnless } from './written.ts';

const UNPAIRED = {
  unpaired: [400, '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired'],
} as const;
const INVALID = { invalid: [400, RECORD_ERRORS] } as const;
const GONE = { gone: [404, '404 Project Not Found'] } as const;
const READ_ONLY = { readOnly: [400, 'The repository is temporarily read-only. Please try again later.'] } as const;
const CREATED = ['created Project', 'project_created', 'pushed new branch'] as const;

export const listProjects = endpoint({
  get: '/projects',
  summary: 'List the projects that the caller sees',
  access: open(),
  params: projectListParams,
  keyset: PROJECTS_KEYSET,
  refuses: UNPAIRED,
  answer: pageOf(ShownProject),
  read: (db, { caller, params, page }) =>
    isUnpaired(params) ? refused('unpaired') : pageOfProjects(db, caller, projectListing(params, page)),
});

export const createProject = endpoint({
  post: '/projects',
  summary: 'Create a project',
  access: signedIn(),
  params: {
    ...attributeParams,
    namespace_id: optional(integer),
    initialize_with_readme: optional(boolean, false),
    import_url: optional(text),
  },
  rules: [atLeastOne('name', 'path')],
  refuses: { ...INVALID, importUnsupported: [400, '400 Bad request - import_url is not supported'] },
  records: CREATED,
  answer: created(Project),
  async handle({ params, ...call }) {
    if (params.import_url) return refused('importUnsupported');
    const { namespace_id: namespaceId = null, initialize_with_readme: readme } = params;
    const values = attributeValues(params);
    const id = await create(call, { caller: call.caller, creatorId: call.caller.user.id, namespaceId, values, readme });
    return isRefused(id) ? id : written(call, id);
  },
});

export const createProjectForUser = endpoint({
  post: '/projects/user/:user_id',
  summary: "Create a project in a user's own namespace",
  access: forUser(),
  params: {
    ...attributeParams,
    name: required(text),
    initialize_with_readme: optional(boolean, false),
    import_url: optional(text),
  },
  refuses: { ...INVALID, importUnsupported: [400, '400 Bad request - import_url is not supported'] },
  records: CREATED,
  answer: created(Project),
  async handle({ params, user, ...call }) {
    if (params.import_url) return refused('importUnsupported');
    const values = attributeValues(params);
    const readme = params.initialize_with_readme;
    const id = await create(call, { caller: call.caller, creatorId: user.id, namespaceId: null, values, readme });
    return isRefused(id) ? id : written(call, id);
  },
});

export const readProject = endpoint({
  get: '/projects/:id',
  summary: 'Read a project',
  access: inPublicProject('read_project'),
  params: { statistics: optional(boolean, false), license: optional(boolean, false) },
  answer: shown(ShownProject),
  read: (_db, { project }) => project,
});

export const updateProject = endpoint({
  put: '/projects/:id',
  summary: 'Change a project',
  access: updatingProject(),
  params: attributeParams,
  rules: [atLeastOne(...attributeNames)],
  refuses: {
    ...INVALID,
    ...GONE,
    ...READ_ONLY,
    noSuchBranch: [400, { message: { base: ["Could not change HEAD: branch '{branch}' does not exist"] } }],
  },
  records: [
    'project_name_updated',
    'project_path_updated',
    'project_description_updated',
    'project_visibility_level_updated',
  ],
  answer: shown(Project),
  async handle({ project, params, ...call }) {
    return writtenUnless(call, project, await update(call, call.caller, project, attributeValues(params)));
  },
});

export const deleteProject = endpoint({
  delete: '/projects/:id',
  summary: 'Schedule the deletion of a project, or destroy a scheduled one',
  access: inProject('remove_project'),
  params: { permanently_remove: optional(boolean, false), full_path: optional(text) },
  conditional: ({ project }) => project.updated_at,
  refuses: {
    notMarked: [400, 'Project must be marked for deletion first.'],
    alreadyMarked: [400, 'Project has already been marked for deletion'],
    wrongPath: [400, '`full_path` is incorrect. You must enter the complete path for the project.'],
  },
  records: ['project_destroyed'],
  answer: accepted,
  handle: ({ project, params, ...call }) =>
    remove(call, call.caller, project, { permanently: params.permanently_remove, fullPath: params.full_path }),
});

export const restoreProject = endpoint({
  post: '/projects/:id/restore',
  summary: 'Take back the scheduled deletion of a project',
  access: inProject('remove_project'),
  refuses: { ...INVALID, notMarked: [400, 'Project has not been marked for deletion'] },
  answer: created(Project),
  handle: async ({ project, ...call }) => writtenUnless(call, project, await restore(call, project)),
});

export const archiveProject = endpoint({
  post: '/projects/:id/archive',
  summary: 'Archive a project',
  access: inProject('archive_project'),
  refuses: { alreadyArchived: [400, 'Project is already archived.'] },
  records: ['project_archived'],
  answer: created(Project),
  handle: async ({ project, ...call }) => writtenUnless(call, project, await archive(call, call.caller, project)),
});

export const unarchiveProject = endpoint({
  post: '/projects/:id/unarchive',
  summary: 'Bring an archived project back',
  access: inProject('archive_project'),
  refuses: {
    alreadyUnarchived: [400, 'Project is already unarchived.'],
    scheduledForDeletion: [400, 'Cannot unarchive project since it is scheduled for deletion.'],
  },
  records: ['project_unarchived'],
  answer: created(Project),
  handle: async ({ project, ...call }) => writtenUnless(call, project, await unarchive(call, call.caller, project)),
});

export const transferProject = endpoint({
  put: '/projects/:id/transfer',
  summary: 'Move a project to another namespace',
  access: inProject('transfer_project'),
  params: { namespace: required(text) },
  refuses: { ...TRANSFER_REFUSALS, ...GONE },
  records: ['project_namespace_updated'],
  answer: shown(Project),
  async handle({ project, params, ...call }) {
    const { caller, base, db } = call;
    const target = await findTarget(db, params.namespace, { caller, today: base.now.slice(0, 10) });
    return writtenUnless(call, project, await transfer(call, caller, project, target));
  },
});

export const listUserProjects = endpoint({
  get: '/users/:user_id/projects',
  summary: "List the projects in a user's own namespace that the caller sees",
  access: ofUser(),
  params: projectListParams,
  refuses: UNPAIRED,
  answer: pageOf(ShownProject),
  read: (db, { caller, user, params, page }) =>
    isUnpaired(params)
      ? refused('unpaired')
      : pageOfProjects(db, caller, projectListing(params, page, { ownerId: user.id })),
});
