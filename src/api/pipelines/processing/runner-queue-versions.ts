import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { RunnerType } from '#database/schema.ts';
import { selectSelfAndAncestors } from '#domain/namespaces/hierarchy.ts';
import { loadAllowedRunners } from '#domain/runners/runner-scope.ts';
import type { EventPayloads } from '#events/domain-events.ts';

// Queue versions tell runners whether new jobs may be available (contract/runners.md §3.3). The instance, groups and
// projects each count how often a job became pending. A runner's version combines the counters of its scopes.

/** The number of rows per counter, so that concurrent transactions rarely write the same row. */
const SHARDS = 16;

/**
 * Notifies runners of the project, its ancestor groups and the instance that a job of this project is pending. Omits
 * group and instance runners if the project does not allow them. `pipelineId` selects the row (shard) of each counter.
 */
export async function notifyRunnersOfJob(tx: Transaction, projectId: number, pipelineId = 0): Promise<void> {
  await incrementVersions(tx, await listScopes(tx, projectId), pipelineId % SHARDS);
}

/**
 * Notifies the runners of a group or project, of its ancestor groups and of the instance that they may take more jobs.
 */
export async function notifyRunnersOfScope(
  tx: Transaction,
  { type, id }: EventPayloads['runner-access-extended'],
): Promise<void> {
  if (type === 'project') return notifyRunnersOfJob(tx, id);
  const groups = await selectSelfAndAncestors(tx, id).select('namespaces.id').orderBy('namespaces.id').execute();
  await incrementVersions(tx, [...groups.map(({ id }) => ['group', id] as const), ['instance', 0]], 0);
}

/** Deletes the counters of a deleted group or project. index: runner_queues_pkey */
export async function deleteRunnerQueue(tx: Transaction, type: 'group' | 'project', id: number): Promise<void> {
  await tx.deleteFrom('runner_queues').where('scope', '=', type).where('scope_id', '=', id).execute();
}

async function incrementVersions(tx: Transaction, scopes: readonly QueueScope[], shard: number): Promise<void> {
  // The scopes always have the same order, so that concurrent transactions do not deadlock.
  const rows = scopes.map(([scope, scope_id]) => ({ scope, scope_id, shard, version: 1 }));
  await tx
    .insertInto('runner_queues')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'scope_id', 'shard'])
        .doUpdateSet((eb) => ({ version: eb('runner_queues.version', '+', 1) })),
    )
    .execute();
}

/** A counter of runners; the instance has the id 0. */
type QueueScope = readonly [scope: 'instance' | 'group' | 'project', id: number];

async function listScopes(db: Reader, projectId: number): Promise<QueueScope[]> {
  const { ofGroups, ofInstance } = await loadAllowedRunners(db, projectId);
  return [
    ...(ofGroups ? (await listAncestorGroupIds(db, projectId)).map((id) => ['group', id] as const) : []),
    ...(ofInstance ? [['instance', 0] as const] : []),
    ['project', projectId],
  ];
}

/** Lists the ids of the groups above a project. index: projects primary key, namespace_closure_pkey */
async function listAncestorGroupIds(db: Reader, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('namespace_closure', 'namespace_closure.descendant_id', 'projects.namespace_id')
    .innerJoin('namespaces', 'namespaces.id', 'namespace_closure.ancestor_id')
    .select('namespaces.id')
    .where('projects.id', '=', projectId)
    .where('namespaces.kind', '=', 'group')
    .orderBy('namespaces.id')
    .execute();
  return rows.map(({ id }) => id);
}

/** The fields of a runner that determine its queue version. */
interface QueueRunner {
  readonly id: number;
  readonly runner_type: RunnerType;
  readonly group_id: number | null;
  readonly queue_version: number;
}

/**
 * Returns the runner's queue version, an opaque text. It changes when a job for this runner becomes pending, when the
 * runner is updated or assigned to another project, and each hour. Reads a few rows per project, and no jobs.
 */
export async function getQueueVersion(db: Reader, runner: QueueRunner, now: string): Promise<string> {
  const { latest_assignment_id, versions } = await loadCounts(db, runner);
  const hour = now.slice(0, 13).replaceAll(/\D/g, '');
  return [runner.id, runner.queue_version, latest_assignment_id, versions, hour].join('-');
}

interface QueueCounts {
  /** The id of the runner's latest assignment to a project; 0 for group and instance runners. */
  readonly latest_assignment_id: number;
  /** The sum of the counters of the runner's scopes. */
  readonly versions: number;
}

const VERSIONS = sql<number>`cast(coalesce(sum(runner_queues.version), 0) as bigint)`.as('versions');

// index: runner_projects_by_runner, runner_queues_pkey
const selectProjectCounts = prepare((db, value: Params<{ runner: number }>) =>
  db
    .selectFrom('runner_projects')
    .leftJoin('runner_queues', (join) =>
      join.on('runner_queues.scope', '=', 'project').onRef('runner_queues.scope_id', '=', 'runner_projects.project_id'),
    )
    .select([sql<number>`coalesce(max(runner_projects.id), 0)`.as('latest_assignment_id'), VERSIONS])
    .where('runner_projects.runner_id', '=', value('runner')),
);

// index: runner_queues_pkey
const selectScopeVersion = prepare((db, value: Params<{ scope: 'group' | 'instance'; id: number }>) =>
  db
    .selectFrom('runner_queues')
    .select(VERSIONS)
    .where('scope', '=', value('scope'))
    .where('scope_id', '=', value('id')),
);

async function loadCounts(db: Reader, { id, runner_type, group_id }: QueueRunner): Promise<QueueCounts> {
  if (runner_type === 'project_type') return (await selectProjectCounts.first(db, { runner: id }))!;
  const scope = runner_type === 'group_type' ? 'group' : 'instance';
  const { versions } = (await selectScopeVersion.first(db, { scope, id: group_id ?? 0 }))!;
  return { latest_assignment_id: 0, versions };
}
