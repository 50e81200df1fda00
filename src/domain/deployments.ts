import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { DeploymentStatus, EnvironmentsTables } from '#database/tables/environments.ts';

export type { DeploymentStatus } from '#database/tables/environments.ts';

/** Deployments as they are shown, and decided about (contract/environments.md "Data model"). */

export type DeploymentRow = Selectable<EnvironmentsTables['deployments']>;

/** What has come to an end, and when: `finished_at` is the last time. */
export const FINISHED: readonly DeploymentStatus[] = ['success', 'failed', 'canceled'];

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
const deploymentById = prepare((db, value: Params<{ project: number; id: number }>) =>
  db
    .selectFrom('deployments')
    .select(deploymentColumns)
    .where('deployments.id', '=', value('id'))
    .where('deployments.project_id', '=', value('project')),
);

// index: deployments_finished
export const lastInStatus = prepare((db, value: Params<{ environment: number; status: DeploymentStatus }>) =>
  db
    .selectFrom('deployments')
    .select(deploymentColumns)
    .where('deployments.environment_id', '=', value('environment'))
    .where('deployments.status', '=', value('status'))
    .orderBy('deployments.finished_at', 'desc')
    .orderBy('deployments.id', 'desc')
    .limit(1),
);

/** The deployment with this id in the project; whether the caller may read it is not asked here. */
export async function findDeployment(db: Reader, projectId: number, id: number): Promise<DeploymentRow | null> {
  return (await deploymentById.first(db, { project: projectId, id })) ?? null;
}

/** What runs in the environment: of its successful deployments the one that has finished last, whatever its id. */
export async function lastDeployment(db: Reader, environmentId: number): Promise<DeploymentRow | null> {
  return (await lastInStatus.first(db, { environment: environmentId, status: 'success' })) ?? null;
}

/** Of the environment's deployments that have come to an end, however, the one that has last. */
export async function lastFinished(db: Reader, environmentId: number): Promise<DeploymentRow | null> {
  const each: DeploymentRow[] = [];
  for (const status of FINISHED) each.push(...(await lastInStatus(db, { environment: environmentId, status })));
  return each.toSorted(latestFirst)[0] ?? null;
}

/** The moments have one form, so that their texts compare as they do. */
function latestFirst(one: DeploymentRow, other: DeploymentRow): number {
  const [when, whenOther] = [one.finished_at ?? '', other.finished_at ?? ''];
  if (when === whenOther) return other.id - one.id;
  return when < whenOther ? 1 : -1;
}
