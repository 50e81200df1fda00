import { changeJobStatus, releaseJob } from '#api/pipelines/processing/index.ts';
import { countPendingApprovals } from '#authorization/protected-environments/approvals.ts';
import type { EnvironmentProtection } from '#authorization/protected-environments/protected-environments.ts';
import type { JobStatus } from '#database/schema.ts';
import type { DeploymentRow } from '#domain/deployments.ts';
import { findJob } from '#domain/jobs.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { DeploymentApprovalStatus } from './approval-store.ts';

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
export async function applyApprovalToJob(
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
