import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { changeJobStatus, releaseJob } from '#api/pipelines/processing/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { loadEnvironmentAccessDescriber } from '#authorization/access-level-descriptions.ts';
import { requireProjectAccess } from '#authorization/current-access.ts';
import {
  countPendingApprovals,
  findAdmittingApprovalRules,
  mayDeployTo,
  needsApproval,
} from '#authorization/protected-environments/deployment-rules.ts';
import {
  type ApprovalRule,
  type EnvironmentProtection,
  loadProtections,
} from '#authorization/protected-environments/protected-environments.ts';
import type { Columns } from '#database/database.ts';
import type { DeploymentStatus, JobStatus } from '#database/schema.ts';
import { type DeploymentRow, findDeployment, findLastDeployment } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironment, findEnvironmentByName } from '#domain/environments.ts';
import { findJob } from '#domain/jobs.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import { environmentLockKey, findOrCreateEnvironment } from '../environment-model/index.ts';
import type { MayDeploy } from './access.ts';
import { insertDeployment, setDeploymentStatus } from './status-transitions.ts';
import {
  type ApprovalRow,
  type DeploymentApprovalStatus,
  findApproval,
  insertApproval,
  updateApproval,
} from './store.ts';

interface CreateDeploymentInput extends Columns<'deployments', 'sha' | 'ref' | 'tag' | 'status'> {
  /** Name of the environment. */
  readonly environment: string;
}

/**
 * Records a deployment that was made elsewhere (contract/environments.md Part 4). Creates the environment if it is missing.
 * Returns the last deployment if it is identical, without creating another one.
 */
export async function createDeployment(
  { database, git, runUnitOfWork }: RefServices,
  caller: SignedInCaller,
  project: Project,
  mayDeploy: MayDeploy,
  input: CreateDeploymentInput,
): Promise<DeploymentRow | Failure<'forbidden' | 'invalid'>> {
  // Git runs before the transaction. The errors are reported in it, after the permission check.
  const revisionErrors = await validateRevisions(git, project, input);
  const existingEnvironment = await findEnvironmentByName(database.reader, project.id, input.environment);
  // Requests that would create the environment are serialized too.
  const lockKey =
    existingEnvironment === null ? `environments ${project.id}` : environmentLockKey(existingEnvironment.id);
  return runUnitOfWork(caller, (uow) => createInUnitOfWork(uow, project, mayDeploy, { ...input, revisionErrors }), {
    lock: lockKey,
  });
}

async function createInUnitOfWork(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Project,
  mayDeploy: MayDeploy,
  { revisionErrors, ...input }: CreateDeploymentInput & { readonly revisionErrors: FieldErrors | null },
): Promise<DeploymentRow | Failure<'forbidden' | 'invalid'>> {
  const access = await requireProjectAccess(uow, uow.actor, id, 'create_deployment');
  const { project, caller } = access;
  const environment = await findOrCreateEnvironment(uow, project, input.environment);
  if (isFailure(environment)) return environment;
  if (!(await mayDeploy(uow, access, environment))) return fail('forbidden');
  if (revisionErrors !== null) return invalid(revisionErrors);
  const lastDeployment = await findLastDeployment(uow, environment.id);
  if (lastDeployment !== null && isSameDeployment(lastDeployment, input)) return lastDeployment;
  const { ref, tag, sha, status } = input;
  const target = { projectId: project.id, environmentId: environment.id };
  return insertDeployment(uow, { ...target, ref, tag, sha, status, userId: caller.user.id });
}

const isSameDeployment = (deployment: DeploymentRow, { ref, tag, sha, status }: CreateDeploymentInput) =>
  deployment.ref === ref && deployment.tag === tag && deployment.sha === sha && deployment.status === status;

/** Returns an error for `sha`, else for `ref`, if it names no commit; null if both do. */
async function validateRevisions(
  git: Git,
  project: Project,
  { sha, ref }: CreateDeploymentInput,
): Promise<FieldErrors | null> {
  const repository = getRepository(git, project);
  if ((await resolveRevision(git, repository, sha)) === null) return { sha: ['The commit does not exist'] };
  if ((await resolveRevision(git, repository, ref)) === null) return { ref: ['The branch or tag does not exist'] };
  return null;
}

/** The transition verbs in error messages. */
const VERBS: Partial<Record<DeploymentStatus, string>> = {
  running: 'run',
  success: 'succeed',
  failed: 'drop',
  canceled: 'cancel',
};

/** Updates the status of a reported deployment. Deployments of jobs can only be changed by their job. */
export async function updateDeployment(
  uow: UnitOfWork,
  { id, project_id }: DeploymentRow,
  status: DeploymentStatus,
): Promise<DeploymentRow | Failure<'createdByJob' | 'notFound' | 'invalid'>> {
  const currentDeployment = await findDeployment(uow, project_id, id);
  if (currentDeployment === null) return fail('notFound');
  if (currentDeployment.job_id !== null) return fail('createdByJob');
  const updatedDeployment = await setDeploymentStatus(uow, id, status);
  return updatedDeployment ?? invalid({ status: [`cannot transition via "${VERBS[status]}"`] });
}

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

/** Deletes a deployment unless it is running or the last one of its environment. index: deployments primary key */
export async function deleteDeployment(
  uow: UnitOfWork,
  { id, project_id, environment_id }: DeploymentRow,
): Promise<undefined | Failure<'notFound' | 'isRunning' | 'isLastDeployment'>> {
  const currentDeployment = await findDeployment(uow, project_id, id);
  if (currentDeployment === null) return fail('notFound');
  if (currentDeployment.status === 'running') return fail('isRunning');
  if ((await findLastDeployment(uow, environment_id))?.id === id) return fail('isLastDeployment');
  await uow.deleteFrom('deployments').where('id', '=', id).execute();
}

// Effects of approvals and rejections on the job of a deployment (contract/environments.md Part 4 "approval").

/** All statuses of jobs that have not ended. */
const UNFINISHED_STATUSES: readonly JobStatus[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'canceling',
  'manual',
  'scheduled',
];

/**
 * Applies an approval or rejection to the job of a deployment. A rejection fails the job and its deployment. The last required
 * approval starts the job, except with approval rules: then a user must play it.
 */
async function applyApprovalToJob(
  uow: UnitOfWork,
  deployment: DeploymentRow,
  protections: readonly EnvironmentProtection[],
  status: DeploymentApprovalStatus,
): Promise<void> {
  const job = deployment.job_id === null ? null : await findJob(uow, deployment.project_id, deployment.job_id);
  if (job === null) return;
  if (status === 'rejected') {
    await changeJobStatus(uow, job.id, UNFINISHED_STATUSES, 'failed', { failure_reason: 'deployment_rejected' });
    return;
  }
  const hasApprovalRules = protections.some(({ approval_rules }) => approval_rules.length > 0);
  if (hasApprovalRules || job.status !== 'manual') return;
  if ((await countPendingApprovals(uow, protections, deployment.id)) === 0) await releaseJob(uow, job);
}
