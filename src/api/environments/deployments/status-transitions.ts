import type { SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Columns } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { DeploymentStatus } from '#database/schema.ts';
import { type DeploymentRow, deploymentColumns, FINISHED_DEPLOYMENT_STATUSES } from '#domain/deployments.ts';
import { findEnvironments } from '#domain/environments.ts';
import { allocateIid } from '#domain/iids.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { setEnvironmentState } from '../environment-model/index.ts';
import { enqueueLinkMergeRequests } from './shipped-merge-requests.ts';

// Insertion and status transitions of deployments; all other code calls these functions (contract/environments.md "States"). A
// transition is a compare-and-set. The same unit of work makes the environment of a successful deployment available.

const ALL_STATUSES: readonly DeploymentStatus[] = [
  'created',
  'blocked',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
];

/** For each status, the statuses from which it can be entered. */
const ALLOWED_FROM: Readonly<Record<DeploymentStatus, readonly DeploymentStatus[]>> = {
  created: ['skipped'],
  blocked: ['created'],
  running: ['created', 'blocked'],
  skipped: ['created'],
  success: ALL_STATUSES.filter((status) => status !== 'success'),
  failed: ALL_STATUSES.filter((status) => status !== 'failed'),
  canceled: ALL_STATUSES.filter((status) => status !== 'canceled'),
};

interface NewDeployment extends Columns<'deployments', 'ref' | 'tag' | 'sha' | 'status'> {
  readonly projectId: number;
  readonly environmentId: number;
  readonly userId: number | null;
  /** Null if the deployment was reported by the API. */
  readonly jobId?: number | null;
  /** Name of the job that stops the environment. */
  readonly onStop?: string | null;
}

/** Inserts a deployment with the next iid of its project, so that iids and ids have the same order. */
export async function insertDeployment(uow: UnitOfWork, input: NewDeployment): Promise<DeploymentRow> {
  const iid = await allocateIid(uow, { projectId: input.projectId }, 'deployment');
  const row = await uow
    .insertInto('deployments')
    .values({
      project_id: input.projectId,
      iid,
      environment_id: input.environmentId,
      ref: input.ref,
      tag: input.tag,
      sha: input.sha,
      user_id: input.userId,
      job_id: input.jobId ?? null,
      on_stop: input.onStop ?? null,
      ...toStatusColumns(uow, input.status),
      created_at: uow.now,
    })
    .returning(deploymentColumns)
    .executeTakeFirstOrThrow();
  await applyTransitionEffects(uow, [row]);
  return row;
}

/** Sets the status of a deployment; returns null without a change if the transition is not allowed. */
export async function setDeploymentStatus(
  uow: UnitOfWork,
  id: number,
  status: DeploymentStatus,
): Promise<DeploymentRow | null> {
  // index: deployments primary key
  const [row] = await applyTransition(uow, sql<SqlBool>`deployments.id = ${id}`, status);
  return row ?? null;
}

/** Sets the status of the deployments of these jobs. Returns the changed deployments. */
export async function setDeploymentStatusOfJobs(
  uow: UnitOfWork,
  jobIds: readonly number[],
  status: DeploymentStatus,
): Promise<DeploymentRow[]> {
  // index: deployments_by_job
  return applyTransition(uow, isInIds(uow, sql.ref('deployments.job_id'), jobIds), status);
}

async function applyTransition(
  uow: UnitOfWork,
  condition: ReturnType<typeof sql<SqlBool>>,
  status: DeploymentStatus,
): Promise<DeploymentRow[]> {
  const rows = await uow
    .updateTable('deployments')
    .set(toStatusColumns(uow, status))
    .where(condition)
    .where('deployments.status', 'in', ALLOWED_FROM[status])
    .returning(deploymentColumns)
    .execute();
  await applyTransitionEffects(uow, rows);
  return rows;
}

/** Returns the columns to set when a status is entered. */
function toStatusColumns({ now }: UnitOfWork, status: DeploymentStatus) {
  return { status, updated_at: now, ...(FINISHED_DEPLOYMENT_STATUSES.includes(status) ? { finished_at: now } : {}) };
}

/** Makes the environments of successful deployments available and enqueues the links to merge requests. */
async function applyTransitionEffects(uow: UnitOfWork, rows: readonly DeploymentRow[]): Promise<void> {
  const successfulDeployments = rows.filter(({ status }) => status === 'success');
  if (successfulDeployments.length === 0) return;
  const environments = await findEnvironments(
    uow,
    successfulDeployments.map(({ environment_id }) => environment_id),
  );
  for (const { id, state } of environments) if (state !== 'available') await setEnvironmentState(uow, id, 'available');
  for (const deployment of successfulDeployments) await enqueueLinkMergeRequests(uow, deployment);
}
