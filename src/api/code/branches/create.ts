import type { SignedInCaller } from '#authentication/caller.ts';
import { mayCreateBranch } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { HEADS } from '#git/ref-names.ts';
import { isValidBranchName, startsWithSha, ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead, resolveRevision } from '#git/refs/revision.ts';
import { createInitialCommit } from '#repositories/commits/initial-commit.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import {
  createBranchPermission,
  initialBranchPermission,
  mayCommitTo,
} from '#repositories/ref-updates/ref-permissions.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { BranchRow } from './entities.ts';
import { findBranch, loadBranch } from './get.ts';

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
  // Nothing but the default branch, which is created here, can be the start.
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

function toCreateFailure(code: string): CreateFailure {
  if (code === 'conflict') return 'hierarchyConflict';
  if (code === 'readOnly' || code === 'protectedName') return code;
  return code === 'invalid-name' ? 'nameInvalid' : 'exists';
}
