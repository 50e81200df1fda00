import { changeJob, releaseJob } from '#api/pipelines/processing/index.ts';
import { pendingApprovals } from '#authorization/protected-environments/approvals.ts';
import type { Protection } from '#authorization/protected-environments/protected-environments.ts';
import type { JobStatus } from '#database/tables/pipelines.ts';
import type { DeploymentRow } from '#domain/deployments.ts';
import { findJob } from '#domain/jobs.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Verdict } from './approval-store.ts';

/** What becomes of the job of a deployment that people approve of, or reject (contract/environments.md Part 4 "approval"). */

/** All but those that have ended. */
const AT_WORK: readonly JobStatus[] = [
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
 * A rejection ends it for good, and its deployment follows. With the last approval that a plain count asks for it starts; where rules ask for them
 * somebody has to play it still.
 */
export async function tellJob(
  uow: UnitOfWork,
  deployment: DeploymentRow,
  protections: readonly Protection[],
  status: Verdict,
): Promise<void> {
  const job = deployment.job_id === null ? null : await findJob(uow, deployment.project_id, deployment.job_id);
  if (job === null) return;
  if (status === 'rejected') {
    await changeJob(uow, job.id, AT_WORK, 'failed', { failure_reason: 'deployment_rejected' });
    return;
  }
  const isByRules = protections.some(({ approval_rules }) => approval_rules.length > 0);
  if (isByRules || job.status !== 'manual') return;
  if ((await pendingApprovals(uow, protections, deployment.id)) === 0) await releaseJob(uow, job);
}
