import { Type } from 'typebox';
import { loadBranchAccessDescriber } from '#authorization/access-level-descriptions.ts';
import type { RuleEntry } from '#authorization/protected-branches/branch-rules.ts';
import type { ProtectionRuleRow } from '#authorization/protected-branches/protected-branches.ts';
import { entity, type SerializationContext, variants } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';

/** An entry of a rule with the description of its user, group or role. */
interface DescribedEntry extends RuleEntry {
  readonly description: string;
}

/** Loads the names of the users in these rules. Returns a function that adds the description to an entry. */
async function loadEntryDescriber(rules: readonly ProtectionRuleRow[], { db }: SerializationContext) {
  const describe = await loadBranchAccessDescriber(db, rules);
  return (entry: RuleEntry): DescribedEntry => ({ ...entry, description: describe(entry) });
}

const roleFields = {
  id: Type.Integer(),
  access_level: Type.Integer({ description: 'Lowest role; 0 admits nobody. Without meaning in an entry for a user.' }),
  access_level_description: Type.String({ description: 'Name of the role or user.' }),
};
const fullFields = { ...roleFields, user_id: nullable(Type.Integer()), group_id: nullable(Type.Integer()) };
const deployKeyFields = { deploy_key_id: Type.Null() };

const BranchRole = entity('BranchRole', roleFields).from(({ id, access_level, description }: DescribedEntry) => ({
  id,
  access_level,
  access_level_description: description,
}));

const BranchPushRole = entity('BranchPushRole', { ...roleFields, ...deployKeyFields }).from(
  (entry: DescribedEntry, context) => ({
    ...BranchRole.serialize(entry, context),
    deploy_key_id: null,
  }),
);

const BranchAccessLevel = entity('BranchAccessLevel', fullFields).from((entry: DescribedEntry, context) => ({
  ...BranchRole.serialize(entry, context),
  user_id: entry.user_id,
  group_id: entry.group_id,
}));

const BranchPushAccessLevel = entity('BranchPushAccessLevel', { ...fullFields, ...deployKeyFields }).from(
  (entry: DescribedEntry, context) => ({ ...BranchAccessLevel.serialize(entry, context), deploy_key_id: null }),
);

const ProtectedBranchFree = entity('ProtectedBranchFree', {
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(BranchPushRole.schema),
  merge_access_levels: Type.Array(BranchRole.schema),
  allow_force_push: Type.Boolean(),
})
  .columns('id', 'name', 'allow_force_push')
  .from(loadEntryDescriber, ({ push, merge }, context, describe) => ({
    push_access_levels: push.map((entry) => BranchPushRole.serialize(describe(entry), context)),
    merge_access_levels: merge.map((entry) => BranchRole.serialize(describe(entry), context)),
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
})
  .columns('id', 'name', 'allow_force_push', 'code_owner_approval_required')
  .from(loadEntryDescriber, ({ push, merge, unprotect }, context, describe) => ({
    push_access_levels: push.map((entry) => BranchPushAccessLevel.serialize(describe(entry), context)),
    merge_access_levels: merge.map((entry) => BranchAccessLevel.serialize(describe(entry), context)),
    unprotect_access_levels: unprotect.map((entry) => BranchAccessLevel.serialize(describe(entry), context)),
    inherited: false,
  }));

/** A protected branch (contract/repository.md §3). Tier free omits the premium fields. */
export const ProtectedBranch = variants([ProtectedBranchFull, ProtectedBranchFree], ({ tier }) =>
  tier === 'free' ? ProtectedBranchFree : ProtectedBranchFull,
);
