import { type Static, Type } from 'typebox';
import type { RuleEntry } from '../../../access/branches.ts';
import type { StoredRule } from '../../../access/protected-branches.ts';
import type { Tier } from '../../../config.ts';
import { nullable, shape } from '../../../http/endpoint/answers.ts';

const roleEntry = { id: Type.Integer(), access_level: Type.Integer(), access_level_description: Type.String() };
const wholeEntry = { ...roleEntry, user_id: nullable(Type.Integer()), group_id: nullable(Type.Integer()) };
const MergeAccessLevel = shape('BranchAccessLevel', wholeEntry);
const PushAccessLevel = shape('BranchPushAccessLevel', { ...wholeEntry, deploy_key_id: Type.Null() });

/** Tier premium and above. */
const ProtectedBranchFull = shape('ProtectedBranch', {
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(PushAccessLevel),
  merge_access_levels: Type.Array(MergeAccessLevel),
  allow_force_push: Type.Boolean(),
  unprotect_access_levels: Type.Array(MergeAccessLevel),
  code_owner_approval_required: Type.Boolean(),
  inherited: Type.Boolean(),
});

const ProtectedBranchFree = shape('ProtectedBranchFree', {
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(shape('BranchPushRole', { ...roleEntry, deploy_key_id: Type.Null() })),
  merge_access_levels: Type.Array(shape('BranchRole', roleEntry)),
  allow_force_push: Type.Boolean(),
});

export const ProtectedBranch = Type.Union([ProtectedBranchFull, ProtectedBranchFree]);

/** Names of the users and groups that entries admit, by id. */
export interface EntryNames {
  readonly users: ReadonlyMap<number, string>;
  readonly groups: ReadonlyMap<number, string>;
}

const ROLES: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
};

export function describeEntry(entry: Omit<RuleEntry, 'id'>, names: EntryNames): string {
  if (entry.user_id !== null) return names.users.get(entry.user_id) ?? '';
  if (entry.group_id !== null) return names.groups.get(entry.group_id) ?? '';
  return ROLES[entry.access_level] ?? '';
}

export function protectedBranchEntities(
  rules: readonly StoredRule[],
  names: EntryNames,
  tier: Tier,
): Static<typeof ProtectedBranch>[] {
  const role = (entry: RuleEntry) => ({
    id: entry.id,
    access_level: entry.access_level,
    access_level_description: describeEntry(entry, names),
  });
  const whole = (entry: RuleEntry) => ({ ...role(entry), user_id: entry.user_id, group_id: entry.group_id });
  return rules.map(({ id, name, push, merge, unprotect, allow_force_push, code_owner_approval_required }) => {
    if (tier === 'free') {
      return {
        id,
        name,
        push_access_levels: push.map((entry) => ({ ...role(entry), deploy_key_id: null })),
        merge_access_levels: merge.map(role),
        allow_force_push,
      };
    }
    return {
      id,
      name,
      push_access_levels: push.map((entry) => ({ ...whole(entry), deploy_key_id: null })),
      merge_access_levels: merge.map(whole),
      allow_force_push,
      unprotect_access_levels: unprotect.map(whole),
      code_owner_approval_required,
      inherited: false,
    };
  });
}
