import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules, type ProtectionRuleRow } from '#authorization/protected-branches/protected-branches.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { recordProtectionRule } from '#repositories/branches/protection-activity.ts';
import { type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { ALLOWED_LEVELS, RULE_KINDS, toCreateAccessLevelInput } from './access-levels.ts';
import { createRuleWithLevels } from './create.ts';
import { deleteRule } from './store.ts';

/** A rule of another server. */
export interface ImportRuleInput {
  readonly name: string;
  readonly allow_force_push: boolean;
  /** The admitted roles of each kind; roles that do not exist here are skipped. */
  readonly roles: Readonly<Record<RuleKind, readonly number[]>>;
}

/**
 * Creates a rule from another server (contract/operations.md §1.4). If no push or merge role remains, Maintainers are
 * admitted. Unprotect roles are optional.
 */
export async function importRule(
  uow: UnitOfWork,
  project: Project,
  { name, allow_force_push, roles }: ImportRuleInput,
): Promise<ProtectionRuleRow | Failure<'invalid'>> {
  const levels = RULE_KINDS.flatMap((kind) => {
    const allowed: readonly number[] = ALLOWED_LEVELS[kind];
    const allowedRoles = roles[kind].filter((role) => allowed.includes(role));
    const fallbackRoles = kind === 'unprotect' ? [] : [MAINTAINER];
    return (allowedRoles.length > 0 ? allowedRoles : fallbackRoles).map((access_level) =>
      toCreateAccessLevelInput(kind, { access_level }),
    );
  });
  const createdRule = await createRuleWithLevels(uow, project, {
    name,
    allow_force_push,
    code_owner_approval_required: false,
    levels,
  });
  return isFailure(createdRule) ? invalid({ name: [FAILURE_TEXTS[createdRule.code]] }) : createdRule;
}

const FAILURE_TEXTS = {
  nameBlank: "can't be blank",
  nameTooLong: 'is too long',
  exists: 'has already been taken',
  levelsInvalid: 'has unknown roles',
} as const;

/** Deletes the rules that a new project gets automatically. */
export async function deleteRules(uow: UnitOfWork, project: Project): Promise<void> {
  for (const rule of await listProtectionRules(uow, project.id)) {
    if (await deleteRule(uow, rule.id)) await recordProtectionRule(uow, 'protected_branch_removed', project, rule);
  }
}
