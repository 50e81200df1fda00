import type { Project } from '#domain/namespaces/projects.ts';
import { isValidBranchName } from '#git/refs/refs.ts';
import type { AccessCall } from '#http/access/access.ts';
import {
  inProjectAllowingAnonymous,
  inProjectRepository,
  repositoryNotFoundIfDisabled,
} from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { accepted, created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { HttpError, notFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { boolean, notBlank } from '#http/parameters/types.ts';
import { enqueue } from '#jobs/job.ts';
import { CREATE_RULE_ERRORS, protectBranchByName, unprotectBranchByName } from '../protected-branches/index.ts';
import { createBranchAt, deleteBranchIfUnchanged, deleteMergedBranchesJob } from './changes.ts';
import { Branch } from './entities.ts';
import { findBranch, listBranchesParams, loadBranchPage } from './list.ts';

interface ProjectContext {
  readonly project: Project;
}

/** Resource: the branch in the path of HEAD requests. An invalid name answers 404, like a branch that does not exist. */
const branchOrNotFoundResource = {
  name: 'branch',
  load: ({ path, services: { git } }: AccessCall, { project }: ProjectContext) =>
    findBranch(git, project, path.branch ?? ''),
  notFound: () => notFound('Branch'),
} as const;

/** Resource: the branch in the path of other requests. An invalid name answers 400, unless a branch with this name exists. */
const branchResource = {
  ...branchOrNotFoundResource,
  params: { branch: required(refName) },
  async load(call: AccessCall, context: ProjectContext) {
    const existing = await branchOrNotFoundResource.load(call, context);
    if (existing === null && !isValidBranchName(call.path.branch ?? ''))
      throw new HttpError(400, { message: 'The branch refname is invalid' });
    return existing;
  },
} as const;

export const listBranches = endpoint({
  get: '/projects/:id/repository/branches',
  summary: 'List branches',
  description:
    'Returns the branches ordered by name, bytewise, or by the date of their last commit. With `search`, a branch ' +
    'whose whole name is the term comes first. `search` and `regex` must both match.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled),
  allowJobToken: true,
  params: listBranchesParams,
  errors: {
    regexInvalid: [400, 'Regex is invalid'],
    regexTooExpensive: [400, 'Regex is too expensive for so many branches'],
    tokenInvalid: [400, { error: 'page_token is invalid' }],
  },
  response: page(Branch),
  read: (_db, { project, params, page }, git) => loadBranchPage(git, project, params, page),
});

export const getBranch = endpoint({
  get: '/projects/:id/repository/branches/:branch',
  summary: 'Get a branch',
  description:
    'Returns the branch with its last commit, and what protection rules and the role of the caller allow there. An ' +
    'invalid name answers 400, unless such a branch exists.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(branchResource),
  response: ok(Branch),
  read: (_db, { branch }) => branch,
});

export const checkBranchExists = endpoint({
  head: '/projects/:id/repository/branches/:branch',
  summary: 'Check whether a branch exists',
  description: 'Answers 204 if the branch exists, otherwise 404, in both cases without a body.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(branchOrNotFoundResource),
  response: noContent,
  read: () => {},
});

export const createBranch = endpoint({
  post: '/projects/:id/repository/branches',
  summary: 'Create a branch',
  description:
    'Creates a branch at the commit that `ref` names. In an empty repository, the default branch is created first, ' +
    'with an empty `README.md`. If a protection rule matches the name, the caller must be allowed to push or merge. ' +
    'A push event is recorded.',
  access: inProjectRepository('push_code', repositoryNotFoundIfDisabled),
  params: {
    branch: describe(required(notBlank(refName)), 'Name of the new branch.'),
    ref: describe(required(notBlank(refName)), 'Branch, tag or commit where the branch begins.'),
  },
  errors: {
    nameInvalid: [400, 'Branch name is invalid'],
    looksLikeSha: [400, 'You cannot create a branch with a SHA-1 or SHA-256 branch name.'],
    exists: [400, 'Branch already exists'],
    refUnknown: [400, "Failed to create branch '{branch}': invalid reference name '{ref}'"],
    hierarchyConflict: [
      400,
      "Failed to create branch '{branch}': Branch name conflicts with existing branch hierarchy.",
    ],
    protectedName: [400, 'You are not allowed to create protected branches on this project.'],
    readOnly: REPOSITORY_READ_ONLY,
  },
  activity: ['pushed new branch', 'protected_branch_created'],
  response: created(Branch),
  handle: ({ project, caller, params }, services) => createBranchAt(services, caller, project, params),
});

export const deleteBranch = endpoint({
  delete: '/projects/:id/repository/branches/:branch',
  summary: 'Delete a branch',
  description:
    'Deletes the branch, unless it has moved since the request began. The default branch cannot be deleted, and ' +
    'protected branches only by Maintainers; their protection rules stay. A push event is recorded.',
  access: inProjectRepository('push_code', repositoryNotFoundIfDisabled).resource(branchResource),
  lastModified: ({ branch }) => branch.commit.author.date,
  errors: {
    isDefault: [400, 'The default branch of a project cannot be deleted.'],
    isProtected: [
      400,
      'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
    ],
    readOnly: REPOSITORY_READ_ONLY,
    notFound: [404, '404 Branch Not Found'],
    moved: [400, 'Could not update refs/heads/{name}. Please refresh and try again.'],
  },
  activity: ['deleted branch'],
  response: noContent,
  handle: ({ project, caller, branch }, services) => deleteBranchIfUnchanged(services, caller, project, branch),
});

export const deleteMergedBranches = endpoint({
  delete: '/projects/:id/repository/merged_branches',
  summary: 'Delete all merged branches in the background',
  description:
    'Enqueues a job that deletes all branches whose last commit is in the default branch, and answers 202. Branches at ' +
    'the last commit of the default branch, protected branches and those of open merge requests stay. The job acts with the rights of the caller.',
  access: inProjectRepository('push_code', repositoryNotFoundIfDisabled),
  activity: ['deleted branch'],
  response: accepted,
  write: (uow, { project: { id: projectId } }) =>
    enqueue(uow, deleteMergedBranchesJob, { projectId, userId: uow.actor.user.id }, { key: String(projectId) }),
});

export const protectBranch = endpoint({
  put: '/projects/:id/repository/branches/:branch/protect',
  summary: 'Protect a branch',
  description:
    'Creates a protection rule with the name of the branch, or changes the roles of the existing one. New rules admit ' +
    'Maintainers. Absent parameters leave the roles of an existing rule unchanged.',
  access: inProjectRepository('admin_protected_branch', repositoryNotFoundIfDisabled).resource(branchResource),
  params: {
    developers_can_push: describe(optional(boolean), 'Whether Developers may push, or only Maintainers.'),
    developers_can_merge: describe(optional(boolean), 'Whether Developers may merge, or only Maintainers.'),
  },
  errors: { unprotectNotAllowed: FORBIDDEN, ...CREATE_RULE_ERRORS },
  uniqueErrors: { protected_branches_by_name: 'exists' },
  activity: ['protected_branch_created'],
  response: ok(Branch),
  write: async (uow, { project, branch, params }) =>
    (await protectBranchByName(uow, project, branch.name, params)) ?? branch,
});

export const unprotectBranch = endpoint({
  put: '/projects/:id/repository/branches/:branch/unprotect',
  summary: 'Unprotect a branch',
  description:
    'Deletes the protection rule with exactly the name of the branch; wildcard rules that match it stay. A branch ' +
    'without such a rule is returned unchanged.',
  access: inProjectRepository('admin_protected_branch', repositoryNotFoundIfDisabled).resource(branchResource),
  errors: { unprotectNotAllowed: FORBIDDEN },
  activity: ['protected_branch_removed'],
  response: ok(Branch),
  write: async (uow, { project, branch }) => (await unprotectBranchByName(uow, project, branch.name)) ?? branch,
});
