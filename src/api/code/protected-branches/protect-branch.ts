import type { RuleEntry } from '#authorization/protected-branches/branch-rules.ts';
import { findProtectionRuleByName } from '#authorization/protected-branches/protected-branches.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { AccessLevelInput } from './access-levels.ts';
import { type CreateRuleFailure, createRule, deleteRuleIfAdmitted, updateRule } from './changes.ts';

/** Permissions of Developers; omitted ones stay unchanged. */
export interface DeveloperPermissions {
  readonly developers_can_push?: boolean | null | undefined;
  readonly developers_can_merge?: boolean | null | undefined;
}

/** Creates or updates the rule with the branch's name (`…/branches/:branch/protect`). */
export async function protectBranchByName(
  uow: UnitOfWork,
  project: Project,
  name: string,
  permissions: DeveloperPermissions,
): Promise<undefined | Failure<'unprotectNotAllowed' | CreateRuleFailure>> {
  const push = toRole(permissions.developers_can_push);
  const merge = toRole(permissions.developers_can_merge);
  const rule = await findProtectionRuleByName(uow, project.id, name);
  if (rule === null) {
    const roles = { push, merge, unprotect: null };
    const allowed = { push: [], merge: [], unprotect: [] };
    const createdRule = await createRule(uow, project, {
      name,
      allow_force_push: false,
      code_owner_approval_required: false,
      roles,
      allowed,
    });
    return isFailure(createdRule) ? createdRule : undefined;
  }
  const allowed = { push: replaceRole(rule.push, push), merge: replaceRole(rule.merge, merge), unprotect: [] };
  const updatedRule = await updateRule(uow, project, rule, { allowed });
  return isFailure(updatedRule) && updatedRule.code === 'unprotectNotAllowed' ? fail('unprotectNotAllowed') : undefined;
}

/** Deletes the rule with the branch's name, if there is one (`…/branches/:branch/unprotect`). */
export async function unprotectBranchByName(
  uow: UnitOfWork,
  project: Project,
  name: string,
): Promise<undefined | Failure<'unprotectNotAllowed'>> {
  const rule = await findProtectionRuleByName(uow, project.id, name);
  const failure = rule === null ? undefined : await deleteRuleIfAdmitted(uow, project, rule);
  // A rule that another request has deleted counts as deleted.
  return failure?.code === 'unprotectNotAllowed' ? fail('unprotectNotAllowed') : undefined;
}

/** Returns the lowest admitted role; null leaves the rule unchanged. */
function toRole(areDevelopersAllowed: boolean | null | undefined): number | null {
  if (areDevelopersAllowed == null) return null;
  return areDevelopersAllowed ? DEVELOPER : MAINTAINER;
}

/** Returns the changes that replace the role entries by this role; user entries stay. */
function replaceRole(entries: readonly RuleEntry[], role: number | null): AccessLevelInput[] {
  if (role === null) return [];
  const roleEntries = entries.filter(({ user_id }) => user_id === null);
  return [...roleEntries.map(({ id }) => ({ id, _destroy: true })), { access_level: role }];
}
