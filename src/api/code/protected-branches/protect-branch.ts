import type { RuleEntry } from '#authorization/protected-branches/branch-rules.ts';
import { ruleNamed } from '#authorization/protected-branches/protected-branches.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { GivenLevel } from './access-levels.ts';
import { protect } from './create.ts';
import { unprotect } from './unprotect.ts';
import { changeRule } from './update.ts';

/** What may be said of developers; what is not said stays as it is. */
export interface DevelopersMay {
  readonly developers_can_push?: boolean | null | undefined;
  readonly developers_can_merge?: boolean | null | undefined;
}

/** Makes or changes the rule whose name equals the branch (`…/branches/:branch/protect`). */
export async function protectBranchNamed(
  uow: UnitOfWork,
  project: Project,
  name: string,
  may: DevelopersMay,
): Promise<undefined | Failure<'notAdmitted'>> {
  const push = roleFor(may.developers_can_push);
  const merge = roleFor(may.developers_can_merge);
  const rule = await ruleNamed(uow, project.id, name);
  if (rule === null) {
    const roles = { push, merge, unprotect: null };
    const allowed = { push: [], merge: [], unprotect: [] };
    await protect(uow, project, { name, allow_force_push: false, code_owner_approval_required: false, roles, allowed });
    return;
  }
  const allowed = { push: replaced(rule.push, push), merge: replaced(rule.merge, merge), unprotect: [] };
  const changed = await changeRule(uow, project, rule, { allowed });
  return isFailure(changed) && changed.code === 'notAdmitted' ? fail('notAdmitted') : undefined;
}

/** Drops the rule whose name equals the branch (`…/branches/:branch/unprotect`), where there is one. */
export async function unprotectBranchNamed(
  uow: UnitOfWork,
  project: Project,
  name: string,
): Promise<undefined | Failure<'notAdmitted'>> {
  const rule = await ruleNamed(uow, project.id, name);
  const refusal = rule === null ? undefined : await unprotect(uow, project, rule);
  // One that has gone by itself is dropped too.
  return refusal?.code === 'notAdmitted' ? fail('notAdmitted') : undefined;
}

function roleFor(developers: boolean | null | undefined): number | null {
  if (developers == null) return null;
  return developers ? DEVELOPER : MAINTAINER;
}

/** This role instead of those that are admitted; users stay. */
function replaced(entries: readonly RuleEntry[], role: number | null): GivenLevel[] {
  if (role === null) return [];
  const others = entries.filter(({ user_id }) => user_id === null);
  return [...others.map(({ id }) => ({ id, _destroy: true })), { access_level: role }];
}
