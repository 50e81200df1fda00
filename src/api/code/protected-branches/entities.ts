import { Type } from 'typebox';
import { describingEntries } from '#authorization/protected-branches/access-level-descriptions.ts';
import type { RuleEntry } from '#authorization/protected-branches/branch-rules.ts';
import type { StoredRule } from '#authorization/protected-branches/protected-branches.ts';
import { entity, type SerializationContext, variants } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';

/** An entry of a rule with the words for whom it admits. */
interface DescribedEntry extends RuleEntry {
  readonly description: string;
}

/** Knows the words of all entries of these rules. */
async function describing(rules: readonly StoredRule[], { db }: SerializationContext) {
  const describe = await describingEntries(db, rules);
  return (entry: RuleEntry): DescribedEntry => ({ ...entry, description: describe(entry) });
}

const role = { id: Type.Integer(), access_level: Type.Integer(), access_level_description: Type.String() };
const whole = { ...role, user_id: nullable(Type.Integer()), group_id: nullable(Type.Integer()) };
const deployKey = { deploy_key_id: Type.Null() };

const BranchRole = entity('BranchRole', role).from(({ id, access_level, description }: DescribedEntry) => ({
  id,
  access_level,
  access_level_description: description,
}));

const BranchPushRole = entity('BranchPushRole', { ...role, ...deployKey }).from((entry: DescribedEntry, to) => ({
  ...BranchRole.serialize(entry, to),
  deploy_key_id: null,
}));

const BranchAccessLevel = entity('BranchAccessLevel', whole).from((entry: DescribedEntry, to) => ({
  ...BranchRole.serialize(entry, to),
  user_id: entry.user_id,
  group_id: entry.group_id,
}));

const BranchPushAccessLevel = entity('BranchPushAccessLevel', { ...whole, ...deployKey }).from(
  (entry: DescribedEntry, to) => ({ ...BranchAccessLevel.serialize(entry, to), deploy_key_id: null }),
);

const ProtectedBranchFree = entity('ProtectedBranchFree', {
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(BranchPushRole.schema),
  merge_access_levels: Type.Array(BranchRole.schema),
  allow_force_push: Type.Boolean(),
}).from(describing, ({ id, name, push, merge, allow_force_push }, to, described) => ({
  id,
  name,
  push_access_levels: push.map((entry) => BranchPushRole.serialize(described(entry), to)),
  merge_access_levels: merge.map((entry) => BranchRole.serialize(described(entry), to)),
  allow_force_push,
}));

const ProtectedBranchFull = entity('ProtectedBranch', {
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(BranchPushAccessLevel.schema),
  merge_access_levels: Type.Array(BranchAccessLevel.schema),
  allow_force_push: Type.Boolean(),
  unprotect_access_levels: Type.Array(BranchAccessLevel.schema),
  code_owner_approval_required: Type.Boolean(),
  inherited: Type.Boolean(),
}).from(
  describing,
  ({ id, name, push, merge, unprotect, allow_force_push, code_owner_approval_required }, to, described) => ({
    id,
    name,
    push_access_levels: push.map((entry) => BranchPushAccessLevel.serialize(described(entry), to)),
    merge_access_levels: merge.map((entry) => BranchAccessLevel.serialize(described(entry), to)),
    allow_force_push,
    unprotect_access_levels: unprotect.map((entry) => BranchAccessLevel.serialize(described(entry), to)),
    code_owner_approval_required,
    inherited: false,
  }),
);

/** contract/repository.md §3; on tier free without what takes premium. */
export const ProtectedBranch = variants([ProtectedBranchFull, ProtectedBranchFree], ({ tier }) =>
  tier === 'free' ? ProtectedBranchFree : ProtectedBranchFull,
);
