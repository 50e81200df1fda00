import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { RunnerType } from '#database/tables/runners.ts';
import { selectSelfAndAncestors } from '#domain/namespaces/hierarchy.ts';
import { loadAllowedRunners } from '#domain/runners/runner-scope.ts';
import type { EventPayloads } from '#events/domain-events.ts';

/**
 * By which runners know whether asking for jobs is of use (contract/runners.md §3.3): the instance, groups and projects
 * count how often a job of theirs has become pending, and a runner's value is made of what it may take jobs from.
 */

/** A count is spread over so many rows, lest all that happens at once wants to write the same one. */
const SHARDS = 16;

/**
 * A job of this project has become pending: tells the project's runners, those of the groups above it, and the instance's,
 * so far as they may take it. `pipelineId` says on which of the rows that make up a count.
 */
export async function notifyRunnersOfJob(tx: Transaction, projectId: number, pipelineId = 0): Promise<void> {
  await incrementVersions(tx, await listScopes(tx, projectId), pipelineId % SHARDS);
}

/** Other runners than before may take what waits in this place: tells those of the groups above, and the instance's. */
export async function notifyRunnersOfScope(
  tx: Transaction,
  { type, id }: EventPayloads['runner-access-extended'],
): Promise<void> {
  if (type === 'project') return notifyRunnersOfJob(tx, id);
  const groups = await selectSelfAndAncestors(tx, id).select('namespaces.id').orderBy('namespaces.id').execute();
  await incrementVersions(tx, [...groups.map(({ id }) => ['group', id] as const), ['instance', 0]], 0);
}

/** Nobody takes jobs from a place that is destroyed. index: runner_queues_pkey */
export async function deleteRunnerQueue(tx: Transaction, type: 'group' | 'project', id: number): Promise<void> {
  await tx.deleteFrom('runner_queues').where('scope', '=', type).where('scope_id', '=', id).execute();
}

async function incrementVersions(tx: Transaction, scopes: readonly QueueScope[], shard: number): Promise<void> {
  // In one order, so that two that raise the same ones wait for one another and not in a circle.
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

type QueueScope = readonly [scope: 'instance' | 'group' | 'project', id: number];

async function listScopes(db: Reader, projectId: number): Promise<QueueScope[]> {
  const { ofGroups, ofInstance } = await loadAllowedRunners(db, projectId);
  return [
    ...(ofGroups ? (await listGroupsAbove(db, projectId)).map((id) => ['group', id] as const) : []),
    ...(ofInstance ? [['instance', 0] as const] : []),
    ['project', projectId],
  ];
}

/** index: projects primary key, namespace_closure_pkey */
async function listGroupsAbove(db: Reader, projectId: number): Promise<number[]> {
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

/** What is known of a runner that asks for its value. */
interface QueueRunner {
  readonly id: number;
  readonly runner_type: RunnerType;
  readonly group_id: number | null;
  readonly queue_version: number;
}

/**
 * The runner's queue value at this moment: an opaque text that is another one after a job that it might take has become
 * pending, after it was changed or has been given to another project, and after an hour. Reads a few rows for each of its
 * projects, and no job.
 */
export async function getQueueVersion(db: Reader, runner: QueueRunner, now: string): Promise<string> {
  const { scope, versions } = await loadCounts(db, runner);
  const hour = now.slice(0, 13).replaceAll(/\D/g, '');
  return [runner.id, runner.queue_version, scope, versions, hour].join('-');
}

interface QueueCounts {
  /** Its latest association with a project. */
  readonly scope: number;
  readonly versions: number;
}

const VERSIONS = sql<number>`cast(coalesce(sum(runner_queues.version), 0) as bigint)`.as('versions');

// index: runner_projects_by_runner, runner_queues_pkey
const countsOfProjects = prepare((db, value: Params<{ runner: number }>) =>
  db
    .selectFrom('runner_projects')
    .leftJoin('runner_queues', (join) =>
      join.on('runner_queues.scope', '=', 'project').onRef('runner_queues.scope_id', '=', 'runner_projects.project_id'),
    )
    .select([sql<number>`coalesce(max(runner_projects.id), 0)`.as('scope'), VERSIONS])
    .where('runner_projects.runner_id', '=', value('runner')),
);

// index: runner_queues_pkey
const versionOfScope = prepare((db, value: Params<{ scope: 'group' | 'instance'; id: number }>) =>
  db
    .selectFrom('runner_queues')
    .select(VERSIONS)
    .where('scope', '=', value('scope'))
    .where('scope_id', '=', value('id')),
);

async function loadCounts(db: Reader, { id, runner_type, group_id }: QueueRunner): Promise<QueueCounts> {
  if (runner_type === 'project_type') return (await countsOfProjects.first(db, { runner: id }))!;
  const scope = runner_type === 'group_type' ? 'group' : 'instance';
  const { versions } = (await versionOfScope.first(db, { scope, id: group_id ?? 0 }))!;
  return { scope: 0, versions };
}
