import type { SignedInCaller } from '#authentication/caller.ts';
import { mayCreateBranch } from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { HEADS } from '#git/ref-names.ts';
import { beginsWithSha, validBranchName, zeroId } from '#git/refs/refs.ts';
import { branchTip, resolveRevision } from '#git/refs/revision.ts';
import { firstCommit } from '#repositories/commits/initial-commit.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { mayCommitTo, toBeginWith, toCreateBranch } from '#repositories/ref-updates/ref-permissions.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { BranchRow } from './entities.ts';
import { branchAt, findBranch } from './get.ts';

type CreateFailure =
  | 'nameInvalid'
  | 'looksLikeSha'
  | 'exists'
  | 'refUnknown'
  | 'hierarchy'
  | 'protectedName'
  | 'readOnly';

interface NewBranch {
  readonly branch: string;
  readonly ref: string;
}

/** A branch at `ref`. In an empty repository the default branch is made first, with an empty README.md. */
export async function createBranchAt(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { branch, ref }: NewBranch,
): Promise<BranchRow | Failure<CreateFailure>> {
  if (project.read_only) return fail('readOnly');
  if (beginsWithSha(branch)) return fail('looksLikeSha');
  if (!validBranchName(branch)) return fail('nameInvalid');
  const { git, database } = services;
  if (project.empty) {
    const begun = await beginRepository(services, caller, project, { branch, ref });
    if (isFailure(begun)) return begun;
    const first = branch === project.default_branch ? await findBranch(git, project, branch) : null;
    if (first !== null) return first;
  }
  const repository = repositoryOf(git, project);
  if ((await branchTip(repository, branch)) !== null) return fail('exists');
  const target = await resolveRevision(git, repository, ref);
  if (target === null) return fail('refUnknown', { branch, ref });
  if (!(await mayCreate(database.reader, caller, project, branch))) return fail('protectedName');
  const change = { ref: HEADS + branch, oldId: zeroId, newId: target };
  const moved = await moveRefs(services, { project, by: { caller, may: toCreateBranch(branch) }, changes: [change] });
  if (isFailure(moved)) return fail(reasonOf(moved.code), { branch, ref });
  return branchAt(git, project, branch, target);
}

async function mayCreate(db: Reader, caller: SignedInCaller, project: Project, branch: string): Promise<boolean> {
  return mayCreateBranch(caller, project, await protectionRules(db, project.id), branch);
}

/** The default branch, with an empty README.md; all that would be refused after it is refused before. */
async function beginRepository(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { branch, ref }: NewBranch,
): Promise<undefined | Failure<CreateFailure>> {
  const { default_branch: first } = project;
  const names = ['HEAD', first, `heads/${first}`, HEADS + first];
  if (!names.includes(ref)) return fail('refUnknown', { branch, ref });
  if (branch.startsWith(`${first}/`) || first.startsWith(`${branch}/`)) return fail('hierarchy', { branch });
  const db = services.database.reader;
  const mayBegin = await mayCommitTo(db, caller, project, first);
  if (!mayBegin || !(await mayCreate(db, caller, project, branch))) return fail('protectedName');
  const readme = { path: 'README.md', content: Buffer.alloc(0), message: 'Add README.md' };
  const { name, email } = caller.user;
  const by = { caller, may: toBeginWith(first, branch) };
  const begun = await firstCommit(services, { project, by, author: { name, email }, ...readme });
  if (isFailure(begun)) return fail(begun.code === 'protectedName' ? 'protectedName' : 'readOnly');
}

function reasonOf(code: string): CreateFailure {
  if (code === 'conflict') return 'hierarchy';
  if (code === 'readOnly' || code === 'protectedName') return code;
  return code === 'invalid-name' ? 'nameInvalid' : 'exists';
}
