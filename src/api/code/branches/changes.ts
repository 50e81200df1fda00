import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import {
  findMatchingRules,
  mayCreateBranch,
  mayDeleteProtectedBranch,
} from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { filterReachable } from '#git/commits/ancestry.ts';
import { HEADS } from '#git/ref-names.ts';
import { isValidBranchName, listRefs, type Ref, startsWithSha, ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead, resolveRevision } from '#git/refs/revision.ts';
import { defineJob } from '#jobs/job.ts';
import { createInitialCommit } from '#repositories/commits/initial-commit.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import {
  createBranchPermission,
  deleteBranchPermission,
  deleteUnprotectedBranchPermission,
  initialBranchPermission,
  mayCommitTo,
} from '#repositories/ref-updates/ref-permissions.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { BranchRow } from './entities.ts';
import { findBranch, loadBranch } from './list.ts';

type CreateFailure =
  | 'nameInvalid'
  | 'looksLikeSha'
  | 'exists'
  | 'refUnknown'
  | 'hierarchyConflict'
  | 'protectedName'
  | 'readOnly';

interface CreateBranchInput {
  readonly branch: string;
  readonly ref: string;
}

/** Creates a branch at `ref`. In an empty repository it first creates the default branch with an empty README.md. */
export async function createBranchAt(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { branch, ref }: CreateBranchInput,
): Promise<BranchRow | Failure<CreateFailure>> {
  if (project.read_only) return fail('readOnly');
  if (startsWithSha(branch)) return fail('looksLikeSha');
  if (!isValidBranchName(branch)) return fail('nameInvalid');
  const { git, database } = services;
  if (project.empty) {
    const failure = await createFirstBranch(services, caller, project, { branch, ref });
    if (isFailure(failure)) return failure;
    const defaultBranch = branch === project.default_branch ? await findBranch(git, project, branch) : null;
    if (defaultBranch !== null) return defaultBranch;
  }
  const repository = getRepository(git, project);
  if ((await findBranchHead(repository, branch)) !== null) return fail('exists');
  const target = await resolveRevision(git, repository, ref);
  if (target === null) return fail('refUnknown', { branch, ref });
  if (!(await mayCreate(database.reader, caller, project, branch))) return fail('protectedName');
  const change = { ref: HEADS + branch, oldId: ZERO_ID, newId: target };
  const moveResult = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: createBranchPermission(branch) },
    changes: [change],
  });
  if (isFailure(moveResult)) return fail(toCreateFailure(moveResult.code), { branch, ref });
  return loadBranch(git, project, branch, target);
}

/** Returns whether protection rules allow the caller to create a branch with this name. */
async function mayCreate(db: Reader, caller: SignedInCaller, project: Project, branch: string): Promise<boolean> {
  return mayCreateBranch(caller, project, await listProtectionRules(db, project.id), branch);
}

/** Creates the default branch with an empty README.md, after all checks that could make the new branch fail later. */
async function createFirstBranch(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { branch, ref }: CreateBranchInput,
): Promise<undefined | Failure<CreateFailure>> {
  const { default_branch: defaultBranch } = project;
  // The new branch can only begin at the default branch, because the repository has no other ref.
  const defaultBranchRefs = ['HEAD', defaultBranch, `heads/${defaultBranch}`, HEADS + defaultBranch];
  if (!defaultBranchRefs.includes(ref)) return fail('refUnknown', { branch, ref });
  if (branch.startsWith(`${defaultBranch}/`) || defaultBranch.startsWith(`${branch}/`))
    return fail('hierarchyConflict', { branch });
  const db = services.database.reader;
  const mayCommit = await mayCommitTo(db, caller, project, defaultBranch);
  if (!mayCommit || !(await mayCreate(db, caller, project, branch))) return fail('protectedName');
  const readme = { path: 'README.md', content: Buffer.alloc(0), message: 'Add README.md' };
  const { name, email } = caller.user;
  const actor = { caller, permission: initialBranchPermission(defaultBranch, branch) };
  const commitResult = await createInitialCommit(services, { project, actor, author: { name, email }, ...readme });
  if (isFailure(commitResult)) return fail(commitResult.code === 'protectedName' ? 'protectedName' : 'readOnly');
}

/** Converts the code of a failed ref update. */
function toCreateFailure(code: string): CreateFailure {
  if (code === 'conflict') return 'hierarchyConflict';
  if (code === 'readOnly' || code === 'protectedName') return code;
  return code === 'invalid-name' ? 'nameInvalid' : 'exists';
}

type DeleteFailure = 'isDefault' | 'isProtected' | 'readOnly' | 'notFound' | 'moved';

/** Deletes a branch unless its last commit has changed since it was read. Protection rules for its name stay. */
export async function deleteBranchIfUnchanged(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { name, commit }: Pick<BranchRow, 'name' | 'commit'>,
): Promise<undefined | Failure<DeleteFailure>> {
  if (project.read_only) return fail('readOnly');
  if (name === project.default_branch) return fail('isDefault');
  const rules = await listProtectionRules(services.database.reader, project.id);
  if (findMatchingRules(rules, name).length > 0 && !mayDeleteProtectedBranch(caller, project))
    return fail('isProtected');
  const change = { ref: HEADS + name, oldId: commit.id, newId: ZERO_ID };
  const moveResult = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: deleteBranchPermission(name) },
    changes: [change],
  });
  if (!isFailure(moveResult)) return undefined;
  if (moveResult.code === 'readOnly' || moveResult.code === 'isDefault' || moveResult.code === 'isProtected')
    return fail(moveResult.code);
  return moveResult.code === 'moved' && moveResult.values.actual === null ? fail('notFound') : fail('moved', { name });
}

/**
 * Deletes every merged, unprotected branch on behalf of the caller, with the caller's current rights. Each branch is
 * deleted separately, so that each gets its own event.
 */
export const deleteMergedBranchesJob = defineJob({
  kind: 'delete_merged_branches',
  async handle(services: RefServices, { projectId, userId }: { readonly projectId: number; readonly userId: number }) {
    const db = services.database.reader;
    const user = await findUserById(db, userId);
    if (user === null) return;
    const caller: SignedInCaller = { user, token: null, address: null };
    const project = await findProject(db, caller, String(projectId));
    if (project === null) return;
    try {
      for (const ref of await findMergedBranches(services, project)) {
        if ((await deleteMergedBranch(services, caller, project, ref)) === 'readOnly') return;
      }
    } catch (error) {
      // The caller has lost access since the request.
      if (!(error instanceof AccessRevoked)) throw error;
    }
  },
});

/** Deletes one merged branch. Does nothing if it has become the default branch or protected. */
async function deleteMergedBranch(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { name, id }: Ref,
): Promise<undefined | 'readOnly'> {
  const permission = deleteUnprotectedBranchPermission(name.slice(HEADS.length));
  const changes = [{ ref: name, oldId: id, newId: ZERO_ID }];
  const moveResult = await updateRepositoryRefs(services, { project, actor: { caller, permission }, changes });
  if (!isFailure(moveResult) || moveResult.code === 'isDefault' || moveResult.code === 'isProtected') return undefined;
  if (moveResult.code === 'readOnly') return 'readOnly';
  // The branch moved meanwhile: the job is retried with the current refs.
  throw new Error(`Cannot delete the merged branch ${name}: ${moveResult.code}`);
}

/**
 * Returns the merged branches, except protected ones, those of open merge requests, and those with the same last commit as the
 * default branch.
 */
async function findMergedBranches({ database, git }: RefServices, project: Project): Promise<Ref[]> {
  const repository = getRepository(git, project);
  const defaultTip = await findBranchHead(repository, project.default_branch);
  if (defaultTip === null) return [];
  const rules = await listProtectionRules(database.reader, project.id);
  const branchesInUse = await listBranchesOfOpenMergeRequests(database.reader, project.id);
  const candidates = (await listRefs(git, repository, HEADS)).filter(({ name, id }) => {
    const branch = name.slice(HEADS.length);
    const isKept =
      branch === project.default_branch || branchesInUse.has(branch) || findMatchingRules(rules, branch).length > 0;
    return id !== defaultTip && !isKept;
  });
  const ids = candidates.map(({ id }) => id);
  const mergedIds = await filterReachable(git, repository, ids, defaultTip);
  return candidates.filter(({ id }) => mergedIds.has(id));
}

/** Returns the source and target branches of the open merge requests of a project. index: merge_requests_open_by_branches */
async function listBranchesOfOpenMergeRequests(db: Reader, projectId: number): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('merge_requests')
    .select(['source_branch', 'target_branch'])
    .where('project_id', '=', projectId)
    .where('state', '=', 'opened')
    .execute();
  return new Set(rows.flatMap(({ source_branch, target_branch }) => [source_branch, target_branch]));
}
