import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Columns } from '#database/database.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import {
  type DefaultBranchProtection,
  developersMayPushFirst,
  isUnprotected,
} from '#domain/namespaces/default-branch-protection.ts';
import { getMemberRole, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { matchesParts } from '#text/safe-regex.ts';

// Who may push to, merge into and delete a branch (contract/repository.md §3 "Matching").
// API writes, pushes and merges use the same functions.

export type RuleKind = 'push' | 'merge' | 'unprotect';

/** One access level of a rule: it allows a user, a group or, if both are null, a role. */
export interface RuleEntry extends Columns<'protected_branch_access_levels', 'id' | 'user_id' | 'group_id'> {
  /** Minimum role of a role entry; 0 allows nobody, 60 only administrators. */
  readonly access_level: number;
}

/** A protection rule with the entries that allow each kind of action. */
export interface ProtectionRule {
  /** A branch name, or a pattern in which `*` matches any characters, including `/`. */
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly push: readonly RuleEntry[];
  readonly merge: readonly RuleEntry[];
  readonly unprotect: readonly RuleEntry[];
}

/** Returns whether the rule's name or pattern matches the branch. */
export function matchesRule(rule: Pick<ProtectionRule, 'name'>, branch: string): boolean {
  return matchesParts(branch, rule.name.split('*'));
}

/** Returns the rules that match the branch. */
export function findMatchingRules<Rule extends ProtectionRule>(rules: readonly Rule[], branch: string): Rule[] {
  return rules.filter((rule) => matchesRule(rule, branch));
}

/** Returns whether the caller may create or update this branch by a push, in a project that is not archived. */
export function mayPush(caller: Caller, project: Project, rules: readonly ProtectionRule[], branch: string): boolean {
  return isAllowedByRules('push', caller, project, rules, branch);
}

/** Returns whether the caller may merge into this branch; the permission to push suffices. */
export function mayMerge(caller: Caller, project: Project, rules: readonly ProtectionRule[], branch: string): boolean {
  return isAllowedByRules('merge', caller, project, rules, branch) || mayPush(caller, project, rules, branch);
}

function isAllowedByRules(
  kind: 'push' | 'merge',
  caller: Caller,
  project: Project,
  rules: readonly ProtectionRule[],
  branch: string,
): boolean {
  if (caller.user === null || project.archived || getProjectRole(caller, project) < DEVELOPER) return false;
  const matchedRules = findMatchingRules(rules, branch);
  if (matchedRules.length === 0) return true;
  return matchedRules.some((rule) => rule[kind].some((entry) => isAllowedByEntry(entry, caller, project)));
}

/**
 * Returns whether the caller may create this branch in a non-empty repository. The permission to merge into a protected
 * branch suffices.
 */
export function mayCreateBranch(
  caller: Caller,
  project: Project,
  rules: readonly ProtectionRule[],
  branch: string,
): boolean {
  return mayMerge(caller, project, rules, branch);
}

/** Returns whether one entry of a rule allows the caller. */
export function isAllowedByEntry(entry: RuleEntry, caller: Caller, project: Project): boolean {
  if (caller.user === null) return false;
  if (entry.user_id !== null) return entry.user_id === caller.user.id && getMemberRole(project) > 0;
  // Projects cannot be shared with groups, so a group entry allows nobody.
  if (entry.group_id !== null || entry.access_level === 0) return false;
  if (entry.access_level === INSTANCE_ADMIN) return isAdministrator(caller);
  return getProjectRole(caller, project) >= entry.access_level;
}

/** Returns whether the rules allow a force push to this branch, by a caller who may push to it. */
export function mayForcePush(rules: readonly ProtectionRule[], branch: string): boolean {
  const matchedRules = findMatchingRules(rules, branch);
  return matchedRules.length === 0 || matchedRules.some((rule) => rule.allow_force_push);
}

/** Returns whether the caller may delete a protected branch: Maintainers may. */
export function mayDeleteProtectedBranch(caller: Caller, project: Project): boolean {
  return getProjectRole(caller, project) >= MAINTAINER;
}

/** Returns the protection rule of a new default branch; null: none. */
export function buildDefaultRule(branch: string, protection: DefaultBranchProtection) {
  if (isUnprotected(protection)) return null;
  const { allowed_to_push, allowed_to_merge, allow_force_push, code_owner_approval_required } = protection;
  const toLevel = (kind: RuleKind, access_level: number) => ({ kind, access_level, user_id: null, group_id: null });
  return {
    name: branch,
    allow_force_push,
    code_owner_approval_required,
    levels: [
      ...allowed_to_push.map(({ access_level }) => toLevel('push', access_level)),
      ...allowed_to_merge.map(({ access_level }) => toLevel('merge', access_level)),
    ],
  };
}

/**
 * Returns whether the caller may push first to the default branch of an empty repository, which counts as protected.
 */
export function mayMakeFirstPush(
  caller: Caller,
  project: Project,
  rules: readonly ProtectionRule[],
  branch: string,
  protection: DefaultBranchProtection,
): boolean {
  if (!mayPush(caller, project, rules, branch)) return false;
  return (
    developersMayPushFirst(protection) ||
    findMatchingRules(rules, branch).length > 0 ||
    getProjectRole(caller, project) >= MAINTAINER
  );
}
