import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules, type StoredRule } from '#authorization/protected-branches/protected-branches.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { recordRule } from '#repositories/branches/protection-activity.ts';
import { type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { ALLOWED, KINDS, toLevel } from './access-levels.ts';
import { addRule } from './create.ts';
import { deleteRule } from './store.ts';

/** A rule as another server tells of it. */
export interface ImportedRule {
  readonly name: string;
  readonly allow_force_push: boolean;
  /** The roles that it admits, of each kind; what no rule here can say is left out. */
  readonly roles: Readonly<Record<RuleKind, readonly number[]>>;
}

/**
 * A rule of another server (contract/operations.md §1.4). Where nobody is left who may push or merge Maintainers may; who may
 * unprotect need not be said.
 */
export async function importRule(
  uow: UnitOfWork,
  project: Project,
  { name, allow_force_push, roles }: ImportedRule,
): Promise<StoredRule | Failure<'invalid'>> {
  const levels = KINDS.flatMap((kind) => {
    const allowed: readonly number[] = ALLOWED[kind];
    const admitted = roles[kind].filter((role) => allowed.includes(role));
    const none = kind === 'unprotect' ? [] : [MAINTAINER];
    return (admitted.length > 0 ? admitted : none).map((access_level) => toLevel(kind, { access_level }));
  });
  const made = await addRule(uow, project, { name, allow_force_push, code_owner_approval_required: false, levels });
  return isFailure(made) ? invalid({ name: [SAID[made.code]] }) : made;
}

const SAID = {
  nameBlank: "can't be blank",
  nameTooLong: 'is too long',
  exists: 'has already been taken',
  levelsInvalid: 'has roles that there are not',
} as const;

/** Removes the rules that a project has got by itself. */
export async function removeRules(uow: UnitOfWork, project: Project): Promise<void> {
  for (const rule of await protectionRules(uow, project.id)) {
    if (await deleteRule(uow, rule.id)) await recordRule(uow, 'protected_branch_removed', project, rule);
  }
}
