import { protectionRules } from '../../../access/protected-branches.ts';
import { enqueue } from '../../../background/job.ts';
import { readCommit } from '../../../git/objects.ts';
import { validBranchName } from '../../../git/refs.ts';
import { branchTip } from '../../../git/revision.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inPublicProject, inRepositoryOf, orRepositoryGone } from '../../../http/access/project-access.ts';
import { accepted, created, entity, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { HttpRefusal, notFound } from '../../../http/endpoint/refusal.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, notBlank, oneOf, text } from '../../../http/parameters/types.ts';
import { isRefused } from '../../../refused.ts';
import { type Placed, projectUrl, repositoryOf } from '../../../repositories/repository.ts';
import { protectBranchNamed, unprotectBranchNamed } from '../protected-branches/index.ts';
import { createBranchAt } from './create.ts';
import { deleteBranchAt } from './delete.ts';
import { deleteMerged } from './delete-merged.ts';
import { Branch, branchEntities } from './entities.ts';
import { listBranches as list, withMerged } from './list.ts';
import { showBranch } from './show.ts';

const READ_ONLY = [400, 'The repository is temporarily read-only. Please try again later.'] as const;

interface InProject {
  readonly project: Placed;
}

/** The branch that the path names, with its tip. */
const branch = {
  name: 'branch' as const,
  async find(call: AccessCall, found: InProject) {
    const name = call.path.branch ?? '';
    if (!validBranchName(name)) throw new HttpRefusal(400, { message: 'The branch refname is invalid' });
    return branchNamed(name, call, found);
  },
  missing: () => notFound('Branch'),
};

/** HEAD only asks whether it is there, and what can be no name is not. */
const branchIfAny = {
  ...branch,
  find: async (call: AccessCall, found: InProject) => branchNamed(call.path.branch ?? '', call, found),
};

async function branchNamed(name: string, { rooms: { git } }: AccessCall, { project }: InProject) {
  const repository = repositoryOf(git, project);
  const tip = validBranchName(name) ? await branchTip(repository, name) : null;
  const commit = tip === null ? null : await readCommit(git, repository, tip);
  return commit === null ? null : { name, commit };
}

export const listBranches = endpoint({
  get: '/projects/:id/repository/branches',
  summary: 'List branches',
  access: inPublicProject('read_code', orRepositoryGone),
  jobToken: true,
  params: {
    search: optional(text),
    regex: optional(text),
    sort: optional(oneOf('name_asc', 'updated_asc', 'updated_desc')),
    pagination: optional(text),
    page_token: optional(text),
  },
  remembered: true,
  refuses: { regexInvalid: [400, 'Regex is invalid'], tokenInvalid: [400, { error: 'page_token is invalid' }] },
  answer: page(Branch),
  async handle({ git, db, project, caller, params, page, request }) {
    const found = await list(git, project, params, page);
    if (isRefused(found)) return found;
    const rules = await protectionRules(db, project.id);
    const context = { project, caller, rules, projectUrl: projectUrl(request, project) };
    return mapPage(found, (branches) => branchEntities(branches, context));
  },
});

export const readBranch = endpoint({
  get: '/projects/:id/repository/branches/:branch',
  summary: 'Read a branch',
  access: inPublicProject('read_code', orRepositoryGone).record(branch),
  remembered: true,
  answer: entity(Branch),
  handle: async (call) => showBranch(call, (await withMerged(call.git, call.project, [call.branch]))[0]!),
});

export const headBranch = endpoint({
  head: '/projects/:id/repository/branches/:branch',
  summary: 'Does a branch exist',
  access: inPublicProject('read_code', orRepositoryGone).record(branchIfAny),
  answer: nothing,
  handle: () => {},
});

export const createBranch = endpoint({
  post: '/projects/:id/repository/branches',
  summary: 'Create a branch',
  access: inRepositoryOf('push_code', orRepositoryGone),
  params: { branch: required(notBlank(text)), ref: required(notBlank(text)) },
  refuses: {
    nameInvalid: [400, 'Branch name is invalid'],
    looksLikeSha: [400, 'You cannot create a branch with a SHA-1 or SHA-256 branch name.'],
    exists: [400, 'Branch already exists'],
    refUnknown: [400, "Failed to create branch '{branch}': invalid reference name '{ref}'"],
    hierarchy: [400, "Failed to create branch '{branch}': Branch name conflicts with existing branch hierarchy."],
    protectedName: [400, 'You are not allowed to create protected branches on this project.'],
    readOnly: READ_ONLY,
  },
  records: ['pushed new branch'],
  answer: created(Branch),
  async handle(call) {
    const made = await createBranchAt(call, { ...call, ...call.params });
    return isRefused(made) ? made : showBranch(call, made);
  },
});

export const deleteBranch = endpoint({
  delete: '/projects/:id/repository/branches/:branch',
  summary: 'Delete a branch',
  access: inRepositoryOf('push_code', orRepositoryGone).record(branch),
  conditional: ({ branch }) => branch.commit.author.date,
  refuses: {
    isDefault: [400, 'The default branch of a project cannot be deleted.'],
    isProtected: [
      400,
      'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
    ],
    readOnly: READ_ONLY,
    gone: [404, '404 Branch Not Found'],
    moved: [400, 'Could not update refs/heads/{name}. Please refresh and try again.'],
  },
  records: ['deleted branch'],
  answer: nothing,
  handle: (call) => deleteBranchAt(call, { ...call, name: call.branch.name, tip: call.branch.commit.id }),
});

export const deleteMergedBranches = endpoint({
  delete: '/projects/:id/repository/merged_branches',
  summary: 'Delete all merged branches, in the background',
  access: inRepositoryOf('push_code', orRepositoryGone),
  records: ['deleted branch'],
  answer: accepted,
  async handle({ database, project, caller }) {
    const work = { projectId: project.id, userId: caller.user.id };
    await database.transaction((tx) => enqueue(tx, deleteMerged, work, { key: String(project.id) }));
  },
});

export const protectBranch = endpoint({
  put: '/projects/:id/repository/branches/:branch/protect',
  summary: 'Protect a branch by a rule of its name',
  access: inRepositoryOf('admin_protected_branch', orRepositoryGone).record(branch),
  params: { developers_can_push: optional(boolean), developers_can_merge: optional(boolean) },
  records: ['protected_branch_created'],
  answer: entity(Branch),
  async handle(call) {
    await call.acting(call.caller, (act) => protectBranchNamed(act, call.project, call.branch.name, call.params));
    return showBranch(call, { name: call.branch.name, tip: call.branch.commit.id });
  },
});

export const unprotectBranch = endpoint({
  put: '/projects/:id/repository/branches/:branch/unprotect',
  summary: 'Drop the protection rule of a branch’s name',
  access: inRepositoryOf('admin_protected_branch', orRepositoryGone).record(branch),
  records: ['protected_branch_removed'],
  answer: entity(Branch),
  async handle(call) {
    await call.acting(call.caller, (act) => unprotectBranchNamed(act, call.project, call.branch.name));
    return showBranch(call, { name: call.branch.name, tip: call.branch.commit.id });
  },
});
