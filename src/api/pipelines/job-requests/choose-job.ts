import { type SqlBool, sql } from 'kysely';
import type { Runner } from '#authorization/runners.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { type ReachingRunner, type RunnerKind, takenBy } from '#domain/runners/runner-scope.ts';

/**
 * Which pending jobs a runner may take (contract/runners.md §7), found by the index of the pending ones alone: how many
 * have ended is no matter.
 */

/** A job that waits for a runner like this one. */
export interface Candidate {
  readonly id: number;
  readonly project_id: number;
}

/** So many are looked up at a time: others may be faster with the first. */
const BATCH = 20;

// index: jobs_pending
const pendingJob = prepare((db) =>
  db.selectFrom('jobs').select('id').where('status', '=', sql.lit('pending')).limit(1),
);

/** Whether any job waits at all: of all who ask nearly all hear no more, and the same for as long as no job is changed. */
export async function anyWaits(db: Reader): Promise<boolean> {
  return (await pendingJob.first(db, {})) !== undefined;
}

/** The next jobs for this runner after so many, in their order. index: jobs_pending, job_tags_pkey, runner_tags_pkey */
export function nextCandidates(db: Reader, runner: Runner, after = 0): Promise<Candidate[]> {
  return candidatesOf(runner)(db, { id: runner.id, group: runner.group_id ?? 0, after });
}

/** The query itself, for `planOf`. */
export function candidates(db: Reader, runner: Runner) {
  return candidatesOf(runner).query(db, { id: runner.id, group: runner.group_id ?? 0, after: 0 });
}

/** By the kind of the runner that asks: most of what a runner costs that finds nothing would be putting the question. */
const prepared = new Map<string, ReturnType<typeof prepareFor>>();

function candidatesOf({ runner_type, run_untagged, access_level }: RunnerKind) {
  const key = `${runner_type} ${run_untagged} ${access_level}`;
  const known = prepared.get(key) ?? prepareFor({ runner_type, run_untagged, access_level });
  prepared.set(key, known);
  return known;
}

function prepareFor(kind: RunnerKind) {
  return prepare((db, value: Params<{ id: number; group: number; after: number }>) => {
    const pending = waiting(db, { ...kind, id: value('id'), group_id: value('group') })
      .select(['jobs.id', 'jobs.project_id'])
      .limit(BATCH)
      .offset(value('after'));
    if (kind.runner_type !== 'instance_type') return pending.orderBy('jobs.id');
    return pending
      .leftJoin(workOnInstanceRunners(db).as('work'), 'work.project_id', 'jobs.project_id')
      .orderBy((eb) => eb.fn.coalesce('work.running', eb.lit(0)))
      .orderBy('jobs.id');
  });
}

/** How many jobs wait for such a runner, counted up to a number beyond which nobody asks. */
export async function countWaiting(db: Reader, runner: Runner): Promise<number> {
  const terms = { ...runner, id: sql.val(runner.id), group_id: sql.val(runner.group_id ?? 0) };
  const some = waiting(db, terms).select('jobs.id').limit(MOST_COUNTED);
  const { count } = await db
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const MOST_COUNTED = 1000;

function waiting(db: Reader, runner: ReachingRunner) {
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
