import { protectionRules } from '../../../access/protected-branches.ts';
import { DEVELOPER, MAINTAINER } from '../../../access/roles.ts';
import type { Config } from '../../../config.ts';
import type { Database } from '../../../database/database.ts';
import { changeRule } from './change.ts';
import { type Protecting, protect } from './create.ts';
import { unprotect } from './unprotect.ts';

/** What `protect` says of developers; null: the rule goes. */
export interface BranchRule {
  readonly name: string;
  readonly protect: {
    readonly developers_can_push?: boolean | null | undefined;
    readonly developers_can_merge?: boolean | null | undefined;
  } | null;
}

/** Makes, changes or drops the rule whose name equals the branch (`…/branches/:branch/protect` and `unprotect`). */
export async function setRuleOfBranch(
  rooms: { readonly database: Database; readonly config: Config },
  { project, caller, name, protect: wanted }: Protecting & BranchRule,
): Promise<void> {
  const rules = await protectionRules(rooms.database.reader, project.id);
  const rule = rules.find((candidate) => candidate.name === name);
  if (wanted === null) {
    if (rule) await unprotect(rooms, { project, caller }, rule);
    return;
  }
  const push = roleFor(wanted.developers_can_push);
  const merge = roleFor(wanted.developers_can_merge);
  if (rule === undefined) {
    const roles = { push, merge, unprotect: null };
    const allowed = { push: [], merge: [], unprotect: [] };
    await protect(
      rooms,
      { project, caller },
      { name, allow_force_push: false, code_owner_approval_required: false, roles, allowed },
    );
    return;
  }
  const change = (entries: typeof rule.push, role: number | null) =>
    role === null
      ? []
      : [
          ...entries.filter(({ user_id }) => user_id === null).map(({ id }) => ({ id, _destroy: true })),
          { access_level: role },
        ];
  const allowed = { push: change(rule.push, push), merge: change(rule.merge, merge), unprotect: [] };
  await changeRule(rooms, project, rule, { allowed });
}

function roleFor(developers: boolean | null | undefined): number | null {
  if (developers == null) return null;
  return developers ? DEVELOPER : MAINTAINER;
}
