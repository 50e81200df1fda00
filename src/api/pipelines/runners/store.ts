import type { ExpressionBuilder } from 'kysely';
import { type Runner, runnerColumns } from '#authorization/runners.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { RunnerType } from '#database/schema.ts';
import type { RunnerContent } from './validation.ts';

/** The input of a new runner, in addition to its attributes. */
interface InsertRunnerInput extends RunnerContent {
  readonly runner_type: RunnerType;
  readonly group_id: number | null;
  readonly name: string | null;
  readonly token_digest: string;
  readonly token_expires_at: string | null;
  readonly registration_type: Runner['registration_type'];
  readonly creator_id: number | null;
  readonly version: string | null;
  readonly revision: string | null;
  readonly platform: string | null;
  readonly architecture: string | null;
}

/** Inserts a runner that has had no contact yet. */
export async function insertRunner(tx: Transaction, runner: InsertRunnerInput): Promise<Runner> {
  return tx
    .insertInto('runners')
    .values({ ...runner, contacted_at: null, created_at: tx.now, updated_at: tx.now })
    .returning(runnerColumns)
    .executeTakeFirstOrThrow();
}

/** Inserts the tags in the order of the request. */
export async function insertTags(tx: Transaction, runnerId: number, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  const rows = tags.map((name, position) => ({ runner_id: runnerId, name, position }));
  await tx.insertInto('runner_tags').values(rows).execute();
}

/** Replaces all tags of the runner. index: runner_tags_pkey */
export async function replaceTags(tx: Transaction, runnerId: number, tags: readonly string[]): Promise<void> {
  await tx.deleteFrom('runner_tags').where('runner_id', '=', runnerId).execute();
  await insertTags(tx, runnerId, tags);
}

/** Lists the tags of a runner in order. index: runner_tags_pkey */
export async function listRunnerTags(db: Reader, runnerId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('runner_tags')
    .select('name')
    .where('runner_id', '=', runnerId)
    .orderBy('position')
    .execute();
  return rows.map(({ name }) => name);
}

/** Assigns a project runner to a project. The first project is its owner. */
export async function insertAssociation(tx: Transaction, runnerId: number, projectId: number): Promise<void> {
  await tx.insertInto('runner_projects').values({ runner_id: runnerId, project_id: projectId }).execute();
}

/**
 * Removes a runner from a project. Returns whether it was assigned.
 * index: runner_projects_by_runner, runners primary key
 */
export async function removeAssociation(tx: Transaction, runnerId: number, projectId: number): Promise<boolean> {
  const deletedRow = await tx
    .deleteFrom('runner_projects')
    .where('runner_id', '=', runnerId)
    .where('project_id', '=', projectId)
    .returning('id')
    .executeTakeFirst();
  if (deletedRow === undefined) return false;
  await tx.updateTable('runners').set(incrementQueueVersion).where('id', '=', runnerId).execute();
  return true;
}

/**
 * Column values that increment the queue version of a runner. Without the increment, the version could return to an
 * earlier value when a project is removed, because it is a sum of counters.
 */
export const incrementQueueVersion = (eb: ExpressionBuilder<Schema, 'runners'>) => ({
  queue_version: eb('queue_version', '+', 1),
});

/** Returns how many runners are assigned to a project. index: runner_projects_by_project */
export async function countRunnersOfProject(db: Reader, projectId: number): Promise<number> {
  const { count } = await db
    .selectFrom('runner_projects')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns whether a runner is assigned to more than one project. index: runner_projects_by_runner */
export async function isInSeveralProjects(db: Reader, runnerId: number): Promise<boolean> {
  const rows = await db.selectFrom('runner_projects').select('id').where('runner_id', '=', runnerId).limit(2).execute();
  return rows.length > 1;
}

/**
 * Returns the runner with this id if it is assigned to the project; null otherwise.
 * index: runner_projects_by_runner
 */
export async function findRunnerInProject(db: Reader, projectId: number, runnerId: number): Promise<Runner | null> {
  const runner = await db
    .selectFrom('runner_projects')
    .innerJoin('runners', 'runners.id', 'runner_projects.runner_id')
    .select(runnerColumns)
    .where('runner_projects.runner_id', '=', runnerId)
    .where('runner_projects.project_id', '=', projectId)
    .executeTakeFirst();
  return runner ?? null;
}

// index: jobs_by_runner_status
const selectActiveRunners = prepareForIds((db, ids) =>
  db
    .selectFrom('jobs')
    .select('runner_id')
    .distinct()
    .where('runner_id', 'in', ids)
    .where('status', 'in', ['running', 'canceling']),
);

/** Returns which of these runners have a running or canceling job. */
export async function loadActiveRunnerIds(
  db: Reader,
  runnerIds: readonly number[],
): Promise<ReadonlySet<number | null>> {
  return new Set((await selectActiveRunners(db, runnerIds)).map(({ runner_id }) => runner_id));
}

// index: jobs_by_runner_status
const selectActiveManagers = prepareForIds((db, ids) =>
  db
    .selectFrom('jobs')
    .select('runner_manager_id')
    .distinct()
    .where('runner_id', 'in', ids)
    .where('status', 'in', ['running', 'canceling']),
);

/** Returns which managers of these runners have a running or canceling job. */
export async function loadActiveManagerIds(
  db: Reader,
  runnerIds: readonly number[],
): Promise<ReadonlySet<number | null>> {
  return new Set((await selectActiveManagers(db, runnerIds)).map(({ runner_manager_id }) => runner_manager_id));
}
