import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { loadEnvironmentAccessDescriber } from '#authorization/protected-environments/access-level-descriptions.ts';
import { countPendingApprovals, needsApproval } from '#authorization/protected-environments/approvals.ts';
import { findAdmittingApprovalRules, mayDeployTo } from '#authorization/protected-environments/deployment-rules.ts';
import {
  type ApprovalRule,
  type EnvironmentProtection,
  loadProtections,
} from '#authorization/protected-environments/protected-environments.ts';
import { type DeploymentRow, findDeployment } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { applyApprovalToJob } from './approval-job.ts';
import {
  type ApprovalRow,
  type DeploymentApprovalStatus,
  findApproval,
  insertApproval,
  updateApproval,
} from './approval-store.ts';

interface ApproveDeploymentInput {
  readonly status: DeploymentApprovalStatus;
  readonly comment?: string | null | undefined;
  /** Part of the name of the approval rule; by default the first rule that admits the caller. */
  readonly represented_as?: string | null | undefined;
}

const MAX_COMMENT_LENGTH = 255;

type ApprovalErrorCode =
  | 'notFound'
  | 'notProtected'
  | 'isOwnDeployment'
  | 'notConfigured'
  | 'notWaiting'
  | 'notAllowed'
  | 'noSuchRule'
  | 'commentTooLong';

/**
 * Approves or rejects a deployment (contract/environments.md Part 4 "approval"). Repeating the same decision has no effect.
 * The order of the checks is that of the contract.
 */
export async function submitApproval(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { id, environment_id }: DeploymentRow,
  { status, comment = null, represented_as }: ApproveDeploymentInput,
): Promise<ApprovalRow | Failure<ApprovalErrorCode>> {
  const deployment = await findDeployment(uow, project.id, id);
  const environment = await findEnvironment(uow, project.id, environment_id);
  if (deployment === null || environment === null) return fail('notFound');
  const protections = await loadProtections(uow, uow.tier, project, environment);
  if (protections.length === 0) return fail('notProtected');
  if (status === 'approved' && isOwnDeployment(uow, project, deployment)) return fail('isOwnDeployment');
  if (!needsApproval(protections)) return fail('notConfigured');
  if ((await countPendingApprovals(uow, protections, deployment.id)) === 0) return fail('notWaiting');
  const rule = await findApprovalRule(uow, project, protections, represented_as ?? null);
  if (isFailure(rule)) return rule;
  if ([...(comment ?? '')].length > MAX_COMMENT_LENGTH) return fail('commentTooLong');
  const key = { deploymentId: deployment.id, userId: uow.actor.user.id, ruleId: rule?.id ?? null };
  const existingApproval = await findApproval(uow, key);
  if (existingApproval?.status === status) return existingApproval;
  const decision = { status, comment };
  const approval = existingApproval
    ? await updateApproval(uow, existingApproval.id, decision)
    : await insertApproval(uow, key, decision);
  await recordApproval(uow, project, environment, deployment, decision);
  await applyApprovalToJob(uow, deployment, protections, status);
  return approval;
}

/** Returns whether the caller started the deployment, unless the project lets such users approve. */
function isOwnDeployment({ actor }: UnitOfWork<SignedInCaller>, project: Project, { user_id }: DeploymentRow): boolean {
  return user_id === actor.user.id && !parseStoredAttributes(project).allow_pipeline_trigger_approve_deployment;
}

/** Returns the first rule that admits the caller; null if the environment has no rules, only a number of approvals. */
async function findApprovalRule(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  protections: readonly EnvironmentProtection[],
  representedAs: string | null,
): Promise<ApprovalRule | null | Failure<'notAllowed' | 'noSuchRule'>> {
  const hasApprovalRules = protections.some(({ approval_rules }) => approval_rules.length > 0);
  if (!hasApprovalRules) {
    const mayApprove =
      mayInProject(uow.actor, 'update_deployment', project) &&
      (await mayDeployTo(uow, uow.actor, project, protections));
    if (!mayApprove) return fail('notAllowed');
    return representedAs === null ? null : fail('noSuchRule');
  }
  const admittingRules = await findAdmittingApprovalRules(uow, uow.actor, project, protections);
  if (admittingRules.length === 0) return fail('notAllowed');
  if (representedAs === null) return admittingRules[0]!;
  const describeRule = await loadEnvironmentAccessDescriber(uow, admittingRules);
  return admittingRules.find((rule) => describeRule(rule).includes(representedAs)) ?? fail('noSuchRule');
}

async function recordApproval(
  uow: UnitOfWork,
  { id, full_path }: Project,
  { name }: EnvironmentRow,
  deployment: DeploymentRow,
  { status, comment }: { readonly status: DeploymentApprovalStatus; readonly comment: string | null },
): Promise<void> {
  const verb = status === 'approved' ? 'Approved' : 'Rejected';
  await uow.record({
    name: `deployment_${status}`,
    entity: { type: 'Project', id, path: full_path },
    target: { type: 'Deployment', id: deployment.id, details: name },
    message: `${verb} deployment with iid ${deployment.iid} to ${name}`,
    details: { comment },
  });
}
