import { Type } from 'typebox';
import { describing } from '#authorization/protected-environments/access-level-descriptions.ts';
import type {
  ApprovalRule,
  Principal,
  Protection,
} from '#authorization/protected-environments/protected-environments.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';

/** An element with the words for whom it admits. */
type Described<Element> = Element & { readonly description: string };

const whom = {
  id: Type.Integer(),
  access_level: nullable(Type.Integer()),
  access_level_description: Type.String(),
  user_id: nullable(Type.Integer()),
  group_id: nullable(Type.Integer()),
  group_inheritance_type: Type.Integer(),
};

const DeployAccessLevel = entity('DeployAccessLevel', whom).from((element: Described<Principal>) => ({
  id: element.id,
  access_level: element.access_level,
  access_level_description: element.description,
  user_id: element.user_id,
  group_id: element.group_id,
  group_inheritance_type: element.group_inheritance_type,
}));

/** How many of whom must approve of deployments. */
export const EnvironmentApprovalRule = entity('EnvironmentApprovalRule', {
  ...whom,
  required_approvals: Type.Integer(),
}).from((rule: Described<ApprovalRule>, to) => ({
  ...DeployAccessLevel.serialize(rule, to),
  required_approvals: rule.required_approvals,
}));

const words = (protections: readonly Protection[], { db }: SerializationContext) =>
  describing(
    db,
    protections.flatMap(({ deploy_access_levels, approval_rules }) => [...deploy_access_levels, ...approval_rules]),
  );

/** contract/environments.md Part 2 "Protected environment object". */
export const ProtectedEnvironment = entity('ProtectedEnvironment', {
  name: Type.String(),
  deploy_access_levels: Type.Array(DeployAccessLevel.schema),
  required_approval_count: Type.Integer(),
  approval_rules: Type.Array(EnvironmentApprovalRule.schema),
}).from(words, ({ name, deploy_access_levels, required_approval_count, approval_rules }, to, describe) => ({
  name,
  deploy_access_levels: deploy_access_levels.map((level) =>
    DeployAccessLevel.serialize({ ...level, description: describe(level) }, to),
  ),
  required_approval_count,
  approval_rules: approval_rules.map((rule) =>
    EnvironmentApprovalRule.serialize({ ...rule, description: describe(rule) }, to),
  ),
}));
