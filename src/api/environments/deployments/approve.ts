import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { describing } from '#authorization/protected-environments/access-level-descriptions.ts';
import { needsApproval, pendingApprovals } from '#authorization/protected-environments/approvals.ts';
import { mayDeployTo, rulesAdmitting } from '#authorization/protected-environments/deployment-rules.ts';
import {
  type ApprovalRule,
  type Protection,
  protectionsOf,
} from '#authorization/protected-environments/protected-environments.ts';
import { type DeploymentRow, findDeployment } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { tellJob } from './approval-job.ts';
import { type ApprovalRow, addApproval, approvalOf, changeApproval, type Verdict } from './approval-store.ts';

interface Said {
  readonly status: Verdict;
  readonly comment?: string | null | undefined;
  /** A part of the name of the rule by which it is said; else the first that admits him. */
  readonly represented_as?: string | null | undefined;
}

const LONGEST_COMMENT = 255;

type Codes =
  | 'gone'
  | 'notProtected'
  | 'own'
  | 'notConfigured'
  | 'notWaiting'
  | 'notAllowed'
  | 'noSuchRule'
  | 'commentTooLong';

/**
 * Approves of a deployment, or rejects it (contract/environments.md Part 4 "approval"); whoever says the same again has said
 * it already. The refusals stand in the contract's order.
 */
export async function approve(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { id, environment_id }: DeploymentRow,
  { status, comment = null, represented_as }: Said,
): Promise<ApprovalRow | Failure<Codes>> {
  const deployment = await findDeployment(uow, project.id, id);
  const environment = await findEnvironment(uow, project.id, environment_id);
  if (deployment === null || environment === null) return fail('gone');
  const protections = await protectionsOf(uow, uow.tier, project, environment);
  if (protections.length === 0) return fail('notProtected');
  if (status === 'approved' && isOwn(uow, project, deployment)) return fail('own');
  if (!needsApproval(protections)) return fail('notConfigured');
  if ((await pendingApprovals(uow, protections, deployment.id)) === 0) return fail('notWaiting');
  const rule = await ruleFor(uow, project, protections, represented_as ?? null);
  if (isFailure(rule)) return rule;
  if ([...(comment ?? '')].length > LONGEST_COMMENT) return fail('commentTooLong');
  const voice = { deploymentId: deployment.id, userId: uow.actor.user.id, ruleId: rule?.id ?? null };
  const before = await approvalOf(uow, voice);
  if (before?.status === status) return before;
  const said = { status, comment };
  const now = before ? await changeApproval(uow, before.id, said) : await addApproval(uow, voice, said);
  await record(uow, project, environment, deployment, said);
  await tellJob(uow, deployment, protections, status);
  return now;
}

function isOwn({ actor: by }: UnitOfWork<SignedInCaller>, project: Project, { user_id }: DeploymentRow): boolean {
  return user_id === by.user.id && !storedAttributes(project).allow_pipeline_trigger_approve_deployment;
}

/** By which rule the caller speaks; null: there is none, but a count of those who may deploy. */
async function ruleFor(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  protections: readonly Protection[],
  representing: string | null,
): Promise<ApprovalRule | null | Failure<'notAllowed' | 'noSuchRule'>> {
  const isByRules = protections.some(({ approval_rules }) => approval_rules.length > 0);
  if (!isByRules) {
    const may =
      mayInProject(uow.actor, 'update_deployment', project) &&
      (await mayDeployTo(uow, uow.actor, project, protections));
    if (!may) return fail('notAllowed');
    return representing === null ? null : fail('noSuchRule');
  }
  const admitting = await rulesAdmitting(uow, uow.actor, project, protections);
  if (admitting.length === 0) return fail('notAllowed');
  if (representing === null) return admitting[0]!;
  const described = await describing(uow, admitting);
  return admitting.find((rule) => described(rule).includes(representing)) ?? fail('noSuchRule');
}

async function record(
  uow: UnitOfWork,
  { id, full_path }: Project,
  { name }: EnvironmentRow,
  deployment: DeploymentRow,
  { status, comment }: { readonly status: Verdict; readonly comment: string | null },
): Promise<void> {
  const did = status === 'approved' ? 'Approved' : 'Rejected';
  await uow.record({
    name: `deployment_${status}`,
    entity: { type: 'Project', id, path: full_path },
    target: { type: 'Deployment', id: deployment.id, details: name },
    message: `${did} deployment with iid ${deployment.iid} to ${name}`,
    details: { comment },
  });
}
