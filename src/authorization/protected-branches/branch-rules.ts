import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER } from '#domain/members/roles.ts';
import { type DefaultProtection, developersBegin, isOpen } from '#domain/namespaces/default-branch-protection.ts';
import { memberRole, type Project, roleIn } from '#domain/namespaces/projects.ts';
import { matchesParts } from './wildcards.ts';

/**
 * Who may push to, merge into and delete which branch (contract/repository.md §3 "Matching"). Pure: the rules come in
 * as data. The same answer for API writes, pushes and merges.
 */

export type RuleKind = 'push' | 'merge' | 'unprotect';

export interface RuleEntry {
  readonly id: number;
  /** The least role of a role entry; 0 admits nobody, 60 administrators only. */
  readonly access_level: number;
  readonly user_id: number | null;
  readonly group_id: number | null;
}

export interface ProtectionRule {
  /** A branch name, or a pattern in which `*` stands for any characters, `/` included. */
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly push: readonly RuleEntry[];
  readonly merge: readonly RuleEntry[];
  readonly unprotect: readonly RuleEntry[];
}

export function matchesRule(rule: Pick<ProtectionRule, 'name'>, branch: string): boolean {
  return matchesParts(branch, rule.name.split('*'));
}

export function rulesFor<Rule extends ProtectionRule>(rules: readonly Rule[], branch: string): Rule[] {
  return rules.filter((rule) => matchesRule(rule, branch));
}

/** May the caller move this branch, existing or not? The project is not archived and its rules are these. */
export function mayPush(caller: Caller, project: Project, rules: readonly ProtectionRule[], branch: string): boolean {
  return mayBy('push', caller, project, rules, branch);
}

export function mayMerge(caller: Caller, project: Project, rules: readonly ProtectionRule[], branch: string): boolean {
  return mayBy('merge', caller, project, rules, branch) || mayPush(caller, project, rules, branch);
}

function mayBy(
  kind: 'push' | 'merge',
  caller: Caller,
  project: Project,
  rules: readonly ProtectionRule[],
  branch: string,
): boolean {
  if (caller.user === null || project.archived || roleIn(caller, project) < DEVELOPER) return false;
  const matching = rulesFor(rules, branch);
  if (matching.length === 0) return true;
  return matching.some((rule) => rule[kind].some((entry) => admits(entry, caller, project)));
}

/** May the caller make this branch, in a repository that has branches? Whoever may only merge into a protected one may. */
export function mayCreateBranch(
  caller: Caller,
  project: Project,
  rules: readonly ProtectionRule[],
  branch: string,
): boolean {
  return mayMerge(caller, project, rules, branch);
}

/** Does one entry of a rule let this caller through? */
export function admits(entry: RuleEntry, caller: Caller, project: Project): boolean {
  if (caller.user === null) return false;
  if (entry.user_id !== null) return entry.user_id === caller.user.id && memberRole(project) > 0;
  // Nothing is shared with groups, so that an entry for a group admits nobody.
  if (entry.group_id !== null || entry.access_level === 0) return false;
  if (entry.access_level === INSTANCE_ADMIN) return isAdministrator(caller);
  return roleIn(caller, project) >= entry.access_level;
}

export function mayForcePush(rules: readonly ProtectionRule[], branch: string): boolean {
  const matching = rulesFor(rules, branch);
  return matching.length === 0 || matching.some((rule) => rule.allow_force_push);
}

/** Deleting a protected branch takes a Maintainer. */
export function mayDeleteProtected(caller: Caller, project: Project): boolean {
  return roleIn(caller, project) >= MAINTAINER;
}

/** The rule that a branch gets when it first comes to exist as the default one; null: none. */
export function defaultRule(branch: string, protection: DefaultProtection) {
  if (isOpen(protection)) return null;
  const { allowed_to_push, allowed_to_merge, allow_force_push, code_owner_approval_required } = protection;
  const level = (kind: RuleKind, access_level: number) => ({ kind, access_level, user_id: null, group_id: null });
  return {
    name: branch,
    allow_force_push,
    code_owner_approval_required,
    levels: [
      ...allowed_to_push.map(({ access_level }) => level('push', access_level)),
      ...allowed_to_merge.map(({ access_level }) => level('merge', access_level)),
    ],
  };
}

/** In an empty repository the default branch counts as protected: may the caller make the first push? */
export function mayPushFirst(
  caller: Caller,
  project: Project,
  rules: readonly ProtectionRule[],
  branch: string,
  protection: DefaultProtection,
): boolean {
  if (!mayPush(caller, project, rules, branch)) return false;
  return developersBegin(protection) || rulesFor(rules, branch).length > 0 || roleIn(caller, project) >= MAINTAINER;
}
