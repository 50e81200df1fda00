import { type SqlBool, sql } from 'kysely';
import { takenBy } from '../../../access/runner-reach.ts';
import type { Runner } from '../../../access/runners.ts';
import type { Reader } from '../../../database/database.ts';

/**
 * Which pending jobs a runner may take (contract/runners.md §7), found by the index of the pending ones alone: how many
 * have ended is no matter.
 */

/** A job that waits for a runner like this one. */
export interface Candidate {
  readonly id: number;
  readonly pipeline_id: number;
}

/** So many are looked up at a time: others may be faster with the first. */
const BATCH = 20;

/** The next jobs for this runner, in their order. index: jobs_pending, job_tags_pkey, runner_tags_pkey */
export async function nextCandidates(db: Reader, runner: Runner): Promise<Candidate[]> {
  return candidates(db, runner).limit(BATCH).execute();
}

/** The query itself, whose plan is asked for. */
export function candidates(db: Reader, runner: Runner) {
  const pending = waiting(db, runner).select(['jobs.id', 'jobs.pipeline_id']);
  if (runner.runner_type !== 'instance_type') return pending.orderBy('jobs.id');
  return pending
    .leftJoin(workOnInstanceRunners(db).as('work'), 'work.project_id', 'jobs.project_id')
    .orderBy((eb) => eb.fn.coalesce('work.running', eb.lit(0)))
    .orderBy('jobs.id');
}

/** How many jobs wait for such a runner, counted up to a number beyond which nobody asks. */
export async function countWaiting(db: Reader, runner: Runner): Promise<number> {
  const some = waiting(db, runner).select('jobs.id').limit(MOST_COUNTED);
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const MOST_COUNTED = 1000;

function waiting(db: Reader, runner: Runner) {
  return (
    db
      .selectFrom('jobs')
      .innerJoin('projects', 'projects.id', 'jobs.project_id')
      // As the index says it, so that the planner knows it again.
      .where('jobs.status', '=', sql.lit('pending'))
      .where('projects.builds_access_level', '!=', 'disabled')
      // Not by the index of those: nearly all projects are such, and the few jobs that wait are to come first.
      .where(sql<SqlBool>`coalesce(projects.marked_for_deletion_on, '') = ''`)
      .where(takenBy(db, runner))
  );
}

/** How many jobs of each project run on runners of the instance. index: jobs_running */
function workOnInstanceRunners(db: Reader) {
  return db
    .selectFrom('jobs as busy')
    .innerJoin('runners', 'runners.id', 'busy.runner_id')
    .select(['busy.project_id', (eb) => eb.fn.countAll<number>().as('running')])
    .where('busy.status', '=', sql.lit('running'))
    .where('runners.runner_type', '=', 'instance_type')
    .groupBy('busy.project_id');
}

/** The same of one project. index: jobs_running */
export async function countOnInstanceRunners(db: Reader, projectId: number): Promise<number> {
  const row = await workOnInstanceRunners(db).where('busy.project_id', '=', projectId).executeTakeFirst();
  return Number(row?.running ?? 0);
}
