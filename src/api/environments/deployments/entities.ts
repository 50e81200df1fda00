import { Type } from 'typebox';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import { describing } from '#authorization/protected-environments/access-level-descriptions.ts';
import { pendingApprovals } from '#authorization/protected-environments/approvals.ts';
import { type ApprovalRule, protectionsOf } from '#authorization/protected-environments/protected-environments.ts';
import type { DeploymentRow } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironments } from '#domain/environments.ts';
import { findProjects } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { besideDeployments, deploymentFields, deploymentShape } from '../deployment-summaries/index.ts';
import { EnvironmentBasic } from '../environment-model/index.ts';
import { EnvironmentApprovalRule } from '../protected-environments/index.ts';
import { type ApprovalRow, approvalsOf } from './approval-store.ts';

/** The forms of a deployment, and of what people have said of one (contract/environments.md "Deployment object"). */

const text = Type.String();

const listFields = { ...deploymentFields, environment: EnvironmentBasic.schema };

async function besideListed(rows: readonly DeploymentRow[], to: SerializationContext) {
  const ids = [...new Set(rows.map(({ environment_id }) => environment_id))];
  const environments = await findEnvironments(to.db, ids);
  return {
    ...(await besideDeployments(rows, to)),
    environments: new Map(environments.map((environment) => [environment.id, environment])),
  };
}

function listedShape(row: DeploymentRow, to: SerializationContext, beside: Awaited<ReturnType<typeof besideListed>>) {
  const environment = EnvironmentBasic.serialize(stillThere(beside.environments.get(row.environment_id)), to);
  return { ...deploymentShape(row, to, beside), environment };
}

/** Among others. */
export const DeploymentInList = entity('DeploymentInList', listFields).from(besideListed, listedShape);

/** What somebody has said of a deployment. */
export const Approval = entity('DeploymentApproval', {
  user: UserBasic.schema,
  status: text,
  created_at: dateTime,
  comment: nullable(text),
}).from(
  (rows: readonly ApprovalRow[], to) =>
    usersById(
      to.db,
      rows.map(({ user_id }) => user_id),
    ),
  ({ user_id, status, created_at, comment }, to, users) => ({
    user: UserBasic.serialize(stillThere(users.get(user_id)), to),
    status,
    created_at,
    comment,
  }),
);

const RuleSummary = shape('DeploymentApprovalRule', {
  ...EnvironmentApprovalRule.schema.properties,
  deployment_approvals: Type.Array(Approval.schema),
});

/** Read alone, made or changed. */
export const Deployment = entity('Deployment', {
  ...listFields,
  pending_approval_count: Type.Integer(),
  approvals: Type.Array(Approval.schema),
  approval_summary: shape('ApprovalSummary', { rules: Type.Array(RuleSummary) }),
}).from(besideAlone, (row, to, { listed, said }) => ({ ...listedShape(row, to, listed), ...said.get(row.id)! }));

async function besideAlone(rows: readonly DeploymentRow[], to: SerializationContext) {
  const listed = await besideListed(rows, to);
  const said = new Map<number, Awaited<ReturnType<typeof approvalState>>>();
  for (const row of rows) said.set(row.id, await approvalState(row, listed.environments, to));
  return { listed, said };
}

/** How far people have approved of it. */
async function approvalState(
  { id, project_id, environment_id }: DeploymentRow,
  environments: ReadonlyMap<number, EnvironmentRow>,
  to: SerializationContext,
) {
  const environment = stillThere(environments.get(environment_id));
  const project = stillThere((await findProjects(to.db, to.caller, [project_id]))[0]);
  const protections = await protectionsOf(to.db, to.tier, project, environment);
  const rules = protections.flatMap(({ approval_rules }) => approval_rules).toSorted((one, other) => one.id - other.id);
  const approvals = await approvalsOf(to.db, [id]);
  const shown = await Approval.serializeAll(approvals, to);
  const described = await describing(to.db, rules);
  const given = ({ id: rule }: ApprovalRule) => shown.filter((_, at) => approvals[at]!.approval_rule_id === rule);
  return {
    pending_approval_count: await pendingApprovals(to.db, protections, id),
    approvals: shown,
    approval_summary: {
      rules: rules.map((rule) => ({
        ...EnvironmentApprovalRule.serialize({ ...rule, description: described(rule) }, to),
        deployment_approvals: given(rule),
      })),
    },
  };
}
