import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { DeploymentStatus, Schema } from '#database/schema.ts';

export type { DeploymentStatus } from '#database/schema.ts';

// Deployment rows for entities and permission checks (contract/environments.md "Data model").

export type DeploymentRow = Selectable<Schema['deployments']>;

/** Final statuses; `finished_at` is the time at which the deployment last reached one of them. */
export const FINISHED_DEPLOYMENT_STATUSES: readonly DeploymentStatus[] = ['success', 'failed', 'canceled'];

export const deploymentColumns = [
  'deployments.id',
  'deployments.project_id',
  'deployments.iid',
  'deployments.environment_id',
  'deployments.ref',
  'deployments.tag',
  'deployments.sha',
  'deployments.user_id',
  'deployments.job_id',
  'deployments.on_stop',
  'deployments.status',
  'deployments.finished_at',
  'deployments.created_at',
  'deployments.updated_at',
] as const;

// index: deployments primary key
const findDeploymentRow = prepare((db, value: Params<{ project: number; id: number }>) =>
  db
    .selectFrom('deployments')
    .select(deploymentColumns)
    .where('deployments.id', '=', value('id'))
    .where('deployments.project_id', '=', value('project')),
);

// Prepares the query of the last finished deployment with a status. The status is a constant, because SQLite would plan a
// query with a parameter at each run: the conditions of indexes contain statuses. index: deployments_finished
const prepareLastInStatus = (status: DeploymentStatus) =>
  prepare((db, value: Params<{ environment: number }>) =>
    db
      .selectFrom('deployments')
      .select(deploymentColumns)
      .where('deployments.environment_id', '=', value('environment'))
      .where('deployments.status', '=', status)
      .orderBy('deployments.finished_at', 'desc')
      .orderBy('deployments.id', 'desc')
      .limit(1),
  );
export const selectLastSuccessfulDeployment = prepareLastInStatus('success');
const lastDeploymentStatements = FINISHED_DEPLOYMENT_STATUSES.map(prepareLastInStatus);

/** Returns the deployment with this id in the project, or null. Does not check permissions. */
export async function findDeployment(db: Reader, projectId: number, id: number): Promise<DeploymentRow | null> {
  return (await findDeploymentRow.first(db, { project: projectId, id })) ?? null;
}

/** Returns the current deployment of the environment: the successful one that finished last; null if there is none. */
export async function findLastDeployment(db: Reader, environmentId: number): Promise<DeploymentRow | null> {
  return (await selectLastSuccessfulDeployment.first(db, { environment: environmentId })) ?? null;
}

/** Returns the deployment of the environment that finished last, with any final status; null if there is none. */
export async function findLastFinishedDeployment(db: Reader, environmentId: number): Promise<DeploymentRow | null> {
  const lastByStatus: DeploymentRow[] = [];
  for (const selectLastDeployment of lastDeploymentStatements)
    lastByStatus.push(...(await selectLastDeployment(db, { environment: environmentId })));
  return lastByStatus.toSorted(compareLatestFirst)[0] ?? null;
}

/** Compares by time, then by id, both descending. Timestamps have a fixed format, so their texts can be compared. */
function compareLatestFirst(a: DeploymentRow, b: DeploymentRow): number {
  const [finishedA, finishedB] = [a.finished_at ?? '', b.finished_at ?? ''];
  if (finishedA === finishedB) return b.id - a.id;
  return finishedA < finishedB ? 1 : -1;
}
