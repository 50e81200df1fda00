import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { loadEnvironmentAccessDescriber } from '#authorization/access-level-descriptions.ts';
import { countPendingApprovals } from '#authorization/protected-environments/deployment-rules.ts';
import { type ApprovalRule, loadProtections } from '#authorization/protected-environments/protected-environments.ts';
import type { DeploymentRow } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironments } from '#domain/environments.ts';
import { findProjects } from '#domain/namespaces/projects.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import {
  deploymentFields,
  EnvironmentBasic,
  loadDeploymentRelations,
  serializeDeploymentFields,
} from '../environment-model/index.ts';
import { EnvironmentApprovalRule } from '../protected-environments/index.ts';
import { type ApprovalRow, listApprovals } from './store.ts';

// Variants of a deployment, and its approvals (contract/environments.md "Deployment object").

const text = Type.String();

const listFields = { ...deploymentFields, environment: EnvironmentBasic.schema };

async function loadListRelations(rows: readonly DeploymentRow[], context: SerializationContext) {
  const ids = [...new Set(rows.map(({ environment_id }) => environment_id))];
  const environments = await findEnvironments(context.db, ids);
  return {
    ...(await loadDeploymentRelations(rows, context)),
    environments: new Map(environments.map((environment) => [environment.id, environment])),
  };
}

function serializeForList(
  row: DeploymentRow,
  context: SerializationContext,
  relations: Awaited<ReturnType<typeof loadListRelations>>,
) {
  const environment = EnvironmentBasic.serialize(requireRow(relations.environments.get(row.environment_id)), context);
  return { ...serializeDeploymentFields(row, context, relations), environment };
}

/** A deployment in a list. */
export const DeploymentInList = entity('DeploymentInList', listFields).from(loadListRelations, serializeForList);

/** A user's approval or rejection of a deployment. */
export const Approval = entity('DeploymentApproval', {
  user: UserBasic.schema,
  status: text,
  created_at: dateTime,
  comment: nullable(text),
})
  .columns('status', 'created_at', 'comment')
  .from(
    (rows: readonly ApprovalRow[], context) =>
      loadUsersById(
        context.db,
        rows.map(({ user_id }) => user_id),
      ),
    ({ user_id }, context, users) => ({ user: UserBasic.serialize(requireRow(users.get(user_id)), context) }),
  );

const RuleSummary = objectSchema('DeploymentApprovalRule', {
  ...EnvironmentApprovalRule.schema.properties,
  deployment_approvals: Type.Array(Approval.schema),
});

/** A single deployment. */
export const Deployment = entity('Deployment', {
  ...listFields,
  pending_approval_count: Type.Integer({ description: 'The number of approvals that are still required.' }),
  approvals: Type.Array(Approval.schema),
  approval_summary: objectSchema('ApprovalSummary', { rules: Type.Array(RuleSummary) }),
}).from(loadRelations, (row, context, { listRelations, approvalStates }) => ({
  ...serializeForList(row, context, listRelations),
  ...approvalStates.get(row.id)!,
}));

async function loadRelations(rows: readonly DeploymentRow[], context: SerializationContext) {
  const listRelations = await loadListRelations(rows, context);
  const approvalStates = new Map<number, Awaited<ReturnType<typeof loadApprovalState>>>();
  for (const row of rows) approvalStates.set(row.id, await loadApprovalState(row, listRelations.environments, context));
  return { listRelations, approvalStates };
}

/** Loads the approvals and the pending count of a deployment. */
async function loadApprovalState(
  { id, project_id, environment_id }: DeploymentRow,
  environments: ReadonlyMap<number, EnvironmentRow>,
  context: SerializationContext,
) {
  const environment = requireRow(environments.get(environment_id));
  const project = requireRow((await findProjects(context.db, context.caller, [project_id]))[0]);
  const protections = await loadProtections(context.db, context.tier, project, environment);
  const rules = protections.flatMap(({ approval_rules }) => approval_rules).toSorted((a, b) => a.id - b.id);
  const approvals = await listApprovals(context.db, [id]);
  const serializedApprovals = await Approval.serializeAll(approvals, context);
  const describeAccess = await loadEnvironmentAccessDescriber(context.db, rules);
  const getApprovalsOfRule = ({ id: ruleId }: ApprovalRule) =>
    serializedApprovals.filter((_, index) => approvals[index]!.approval_rule_id === ruleId);
  return {
    pending_approval_count: await countPendingApprovals(context.db, protections, id),
    approvals: serializedApprovals,
    approval_summary: {
      rules: rules.map((rule) => ({
        ...EnvironmentApprovalRule.serialize({ ...rule, description: describeAccess(rule) }, context),
        deployment_approvals: getApprovalsOfRule(rule),
      })),
    },
  };
}
