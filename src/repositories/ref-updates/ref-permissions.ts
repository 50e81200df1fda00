import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { type CurrentAccess, requireAbility } from '#authorization/current-access.ts';
import {
  findMatchingRules,
  mayCreateBranch,
  mayDeleteProtectedBranch,
  mayForcePush,
  mayMakeFirstPush,
  mayMerge,
  mayPush,
} from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import { isProtectedTag, listTagRules, mayCreateTag, mayDeleteProtectedTag } from '#authorization/protected-tags.ts';
import type { Reader } from '#database/database.ts';
import {
  type DefaultBranchProtection,
  getProtectionForLevel,
  type ProtectionLevel,
} from '#domain/namespaces/default-branch-protection.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';

/**
 * Checks whether refs may move and returns the failure if not. `updateRepositoryRefs` calls it in the transaction that writes the intent,
 * with the reloaded caller and project.
 */
export type RefPermission<Code extends string = never> = (
  db: Reader,
  access: CurrentAccess,
) => Promise<undefined | Failure<Code>>;

/** Returns whether the rules of the project let the caller commit to this branch, existing or not. */
export async function mayCommitTo(db: Reader, caller: Caller, project: Project, branch: string): Promise<boolean> {
  if (!mayInProject(caller, 'push_code', project)) return false;
  const rules = await listProtectionRules(db, project.id);
  if (!project.empty) return mayPush(caller, project, rules, branch);
  return mayMakeFirstPush(caller, project, rules, branch, await loadDefaultProtection(db, project.id));
}

/** Returns whether the rules of the project let the caller merge into this branch. */
export async function mayMergeInto(db: Reader, caller: Caller, project: Project, branch: string): Promise<boolean> {
  if (!mayInProject(caller, 'push_code', project)) return false;
  return mayMerge(caller, project, await listProtectionRules(db, project.id), branch);
}

/** Returns the default protection of a project's first branch: the value in its row, else the application setting. */
export async function loadDefaultProtection(db: Reader, projectId: number): Promise<DefaultBranchProtection> {
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select('default_branch_protection')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row?.default_branch_protection) return JSON.parse(row.default_branch_protection);
  return getProtectionForLevel((await loadSettings(db)).default_branch_protection as ProtectionLevel);
}

interface CommitTarget {
  readonly branch: string;
  /** Whether the new head does not contain the current one. */
  readonly forced?: boolean;
}

/** Permission to commit to a branch. */
export function commitPermission({
  branch,
  forced = false,
}: CommitTarget): RefPermission<'notAllowed' | 'forceNotAllowed'> {
  return async (db, { caller, project }) => {
    if (!(await mayCommitTo(db, caller, project, branch))) return fail('notAllowed');
    if (forced && !mayForcePush(await listProtectionRules(db, project.id), branch)) return fail('forceNotAllowed');
  };
}

/** Permission to create a branch in a repository that is not empty. */
export function createBranchPermission(branch: string): RefPermission<'protectedName'> {
  return async (db, access) => {
    requireAbility(access, 'push_code');
    const rules = await listProtectionRules(db, access.project.id);
    return mayCreateBranch(access.caller, access.project, rules, branch) ? undefined : fail('protectedName');
  };
}

/** Permission to create the first branch of an empty repository and another one right after it. */
export function initialBranchPermission(firstBranch: string, branch: string): RefPermission<'protectedName'> {
  return async (db, { caller, project }) => {
    const mayCreateFirst = await mayCommitTo(db, caller, project, firstBranch);
    const rules = await listProtectionRules(db, project.id);
    return mayCreateFirst && mayCreateBranch(caller, project, rules, branch) ? undefined : fail('protectedName');
  };
}

/** Permission to delete a branch that is not the default one. A protected branch requires a Maintainer. */
export function deleteBranchPermission(branch: string): RefPermission<'isDefault' | 'isProtected'> {
  return buildDeletePermission(branch, ({ caller, project }) => mayDeleteProtectedBranch(caller, project));
}

/** Permission to delete a branch in a bulk deletion, which skips protected ones. */
export function deleteUnprotectedBranchPermission(branch: string): RefPermission<'isDefault' | 'isProtected'> {
  return buildDeletePermission(branch, () => false);
}

function buildDeletePermission(
  branch: string,
  mayDeleteProtected: (access: CurrentAccess) => boolean,
): RefPermission<'isDefault' | 'isProtected'> {
  return async (db, access) => {
    requireAbility(access, 'push_code');
    if (branch === access.project.default_branch) return fail('isDefault');
    const isProtected = findMatchingRules(await listProtectionRules(db, access.project.id), branch).length > 0;
    return isProtected && !mayDeleteProtected(access) ? fail('isProtected') : undefined;
  };
}

/** Permission to create a tag whose name is not that of the default branch. */
export function createTagPermission(tag: string): RefPermission<'isDefaultBranch' | 'isProtected'> {
  return async (db, access) => {
    requireAbility(access, 'push_code');
    const { caller, project } = access;
    if (tag === project.default_branch) return fail('isDefaultBranch');
    return mayCreateTag(caller, project, await listTagRules(db, project.id), tag) ? undefined : fail('isProtected');
  };
}

/** Permission to delete a tag. A protected tag requires a Maintainer. */
export function deleteTagPermission(tag: string): RefPermission<'isProtected'> {
  return async (db, access) => {
    requireAbility(access, 'push_code');
    const isProtected = isProtectedTag(await listTagRules(db, access.project.id), tag);
    return isProtected && !mayDeleteProtectedTag(access.caller, access.project) ? fail('isProtected') : undefined;
  };
}
