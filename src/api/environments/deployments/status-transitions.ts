import type { SqlBool } from 'kysely';
import { sql } from 'kysely';
import { isAmong } from '#database/dialect.ts';
import type { DeploymentStatus } from '#database/tables/environments.ts';
import { type DeploymentRow, deploymentColumns, FINISHED } from '#domain/deployments.ts';
import { findEnvironments } from '#domain/environments.ts';
import { nextIid } from '#domain/iids.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enterState } from '../environment-model/index.ts';
import { linkMergeRequestsSoon } from './link-merge-requests.ts';

/**
 * The one way in which deployments come to be and change their status (contract/environments.md "States"). A step is a
 * compare-and-set, and what follows from it is in the same act: an environment runs again when something has been deployed to it.
 */

const ALL: readonly DeploymentStatus[] = ['created', 'blocked', 'running', 'success', 'failed', 'canceled', 'skipped'];

/** From which statuses another one is entered. */
const FROM: Readonly<Record<DeploymentStatus, readonly DeploymentStatus[]>> = {
  created: ['skipped'],
  blocked: ['created'],
  running: ['created', 'blocked'],
  skipped: ['created'],
  success: ALL.filter((status) => status !== 'success'),
  failed: ALL.filter((status) => status !== 'failed'),
  canceled: ALL.filter((status) => status !== 'canceled'),
};

export interface NewDeployment {
  readonly projectId: number;
  readonly environmentId: number;
  readonly ref: string;
  readonly tag: boolean;
  readonly sha: string;
  readonly userId: number | null;
  /** Null: the API reports it. */
  readonly jobId?: number | null;
  /** The name of the job that stops what it starts. */
  readonly onStop?: string | null;
  readonly status: DeploymentStatus;
}

/** Adds a deployment with the next number of its project, so that numbers and ids are in one order. */
export async function addDeployment(uow: UnitOfWork, made: NewDeployment): Promise<DeploymentRow> {
  const iid = await nextIid(uow, { projectId: made.projectId }, 'deployment');
  const row = await uow
    .insertInto('deployments')
    .values({
      project_id: made.projectId,
      iid,
      environment_id: made.environmentId,
      ref: made.ref,
      tag: made.tag,
      sha: made.sha,
      user_id: made.userId,
      job_id: made.jobId ?? null,
      on_stop: made.onStop ?? null,
      ...entering(uow, made.status),
      created_at: uow.now,
    })
    .returning(deploymentColumns)
    .executeTakeFirstOrThrow();
  await entered(uow, [row]);
  return row;
}

/** Brings a deployment to this status; null, and nothing has happened, when no way leads there from the one that it has. */
export async function changeDeployment(
  uow: UnitOfWork,
  id: number,
  to: DeploymentStatus,
): Promise<DeploymentRow | null> {
  // index: deployments primary key
  const [row] = await step(uow, sql<SqlBool>`deployments.id = ${id}`, to);
  return row ?? null;
}

/** The same of the deployments that these jobs make; those of them that have made the step. */
export async function changeDeploymentsOf(
  uow: UnitOfWork,
  jobIds: readonly number[],
  to: DeploymentStatus,
): Promise<DeploymentRow[]> {
  // index: deployments_by_job
  return step(uow, isAmong(uow, sql.ref('deployments.job_id'), jobIds), to);
}

async function step(
  uow: UnitOfWork,
  which: ReturnType<typeof sql<SqlBool>>,
  to: DeploymentStatus,
): Promise<DeploymentRow[]> {
  const rows = await uow
    .updateTable('deployments')
    .set(entering(uow, to))
    .where(which)
    .where('deployments.status', 'in', FROM[to])
    .returning(deploymentColumns)
    .execute();
  await entered(uow, rows);
  return rows;
}

/** What a row says from then on. */
function entering({ now }: UnitOfWork, status: DeploymentStatus) {
  return { status, updated_at: now, ...(FINISHED.includes(status) ? { finished_at: now } : {}) };
}

/** What follows from it. */
async function entered(uow: UnitOfWork, rows: readonly DeploymentRow[]): Promise<void> {
  const succeeded = rows.filter(({ status }) => status === 'success');
  if (succeeded.length === 0) return;
  const environments = await findEnvironments(
    uow,
    succeeded.map(({ environment_id }) => environment_id),
  );
  for (const { id, state } of environments) if (state !== 'available') await enterState(uow, id, 'available');
  for (const deployment of succeeded) await linkMergeRequestsSoon(uow, deployment);
}
