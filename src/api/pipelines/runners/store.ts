import { type Runner, runnerColumns } from '../../../access/runners.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import type { RunnerType } from '../../../database/tables/runners.ts';
import type { RunnerContent } from './content.ts';

/** What a new runner is, besides its content. */
export interface NewRunner extends RunnerContent {
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

export async function insertRunner(tx: Transaction, runner: NewRunner): Promise<Runner> {
  return tx
    .insertInto('runners')
    .values({ ...runner, contacted_at: null, created_at: tx.now, updated_at: tx.now })
    .returning(runnerColumns)
    .executeTakeFirstOrThrow();
}

/** In the order in which they were said. */
export async function insertTags(tx: Transaction, runnerId: number, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  const rows = tags.map((name, position) => ({ runner_id: runnerId, name, position }));
  await tx.insertInto('runner_tags').values(rows).execute();
}

/** index: runner_tags_pkey */
export async function tagsOf(db: Reader, runnerId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('runner_tags')
    .select('name')
    .where('runner_id', '=', runnerId)
    .orderBy('position')
    .execute();
  return rows.map(({ name }) => name);
}

/** Gives a project runner to a project: the first is its owner. */
export async function insertAssociation(tx: Transaction, runnerId: number, projectId: number): Promise<void> {
  await tx.insertInto('runner_projects').values({ runner_id: runnerId, project_id: projectId }).execute();
}

// index: jobs_by_runner_status
const working = prepareForIds((db, ids) =>
  db
    .selectFrom('jobs')
    .select('runner_id')
    .distinct()
    .where('runner_id', 'in', ids)
    .where('status', 'in', ['running', 'canceling']),
);

/** Which of these runners have a job that is running or being canceled. */
export async function workingAmong(db: Reader, runnerIds: readonly number[]): Promise<ReadonlySet<number | null>> {
  return new Set((await working(db, runnerIds)).map(({ runner_id }) => runner_id));
}

// index: jobs_by_runner_status
const workingManagers = prepareForIds((db, ids) =>
  db
    .selectFrom('jobs')
    .select('runner_manager_id')
    .distinct()
    .where('runner_id', 'in', ids)
    .where('status', 'in', ['running', 'canceling']),
);

/** Which managers of these runners have one. */
export async function workingManagersOf(db: Reader, runnerIds: readonly number[]): Promise<ReadonlySet<number | null>> {
  return new Set((await workingManagers(db, runnerIds)).map(({ runner_manager_id }) => runner_manager_id));
}
