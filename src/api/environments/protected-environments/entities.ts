import { Type } from 'typebox';
import { loadEnvironmentAccessDescriber } from '#authorization/access-level-descriptions.ts';
import type {
  ApprovalRule,
  EnvironmentProtection,
  Principal,
} from '#authorization/protected-environments/protected-environments.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';

/** An element with the description of its principal. */
type WithDescription<Element> = Element & { readonly description: string };

const principalFields = {
  id: Type.Integer(),
  access_level: nullable(Type.Integer({ description: 'The least role; null for an element of a user or group.' })),
  access_level_description: Type.String({ description: 'The name of the role, user or group.' }),
  user_id: nullable(Type.Integer()),
  group_id: nullable(Type.Integer()),
  group_inheritance_type: Type.Integer({ description: '0: direct members of the group; 1: inherited members too.' }),
};

const DeployAccessLevel = entity('DeployAccessLevel', principalFields)
  .columns('id', 'access_level', 'user_id', 'group_id', 'group_inheritance_type')
  .from((element: WithDescription<Principal>) => ({ access_level_description: element.description }));

/** An approval rule of a protected environment. */
export const EnvironmentApprovalRule = entity('EnvironmentApprovalRule', {
  ...principalFields,
  required_approvals: Type.Integer(),
}).from((rule: WithDescription<ApprovalRule>, context) => ({
  ...DeployAccessLevel.serialize(rule, context),
  required_approvals: rule.required_approvals,
}));

const loadDescriptions = (protections: readonly EnvironmentProtection[], { db }: SerializationContext) =>
  loadEnvironmentAccessDescriber(
    db,
    protections.flatMap(({ deploy_access_levels, approval_rules }) => [...deploy_access_levels, ...approval_rules]),
  );

/** A protected environment (contract/environments.md Part 2 "Protected environment object"). */
export const ProtectedEnvironment = entity('ProtectedEnvironment', {
  name: Type.String(),
  deploy_access_levels: Type.Array(DeployAccessLevel.schema),
  required_approval_count: Type.Integer({ description: 'The approvals required if there are no approval rules.' }),
  approval_rules: Type.Array(EnvironmentApprovalRule.schema),
}).from(
  loadDescriptions,
  ({ name, deploy_access_levels, required_approval_count, approval_rules }, context, describe) => ({
    name,
    deploy_access_levels: deploy_access_levels.map((level) =>
      DeployAccessLevel.serialize({ ...level, description: describe(level) }, context),
    ),
    required_approval_count,
    approval_rules: approval_rules.map((rule) =>
      EnvironmentApprovalRule.serialize({ ...rule, description: describe(rule) }, context),
    ),
  }),
);
