import type { ExpressionBuilder } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { OverdueWork } from '#events/overdue-work.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import {
  closedSince,
  currentIteration,
  insertIteration,
  iterationsTurn,
  moveIteration,
  NO_TEXTS,
  type PlacedIteration,
  standingOf,
} from './iteration-rows.ts';
import { type Plan, planned, type Rhythm } from './periods.ts';
import { rollOver } from './roll-over.ts';
import { type CadenceRow, readCadence, setRuns } from './store.ts';

/** How often cadences get the iterations that they lack: with each change, each day, and before iterations are read. */

/**
 * Gives an automatic cadence the iterations that it lacks today, and has those that are over hand on their open issues.
 */
export async function schedule(uow: UnitOfWork, cadence: CadenceRow): Promise<CadenceRow> {
  const rhythm = rhythmOf(cadence);
  return rhythm === null
    ? rest(uow, cadence)
    : carryOut(uow, cadence, planned(rhythm, await standingOf(uow, cadence.id), false));
}

/** Where the calendar ends before its iterations do. */
const NO_DAYS_LEFT = invalid({ start_date: ['is not included in the list'] });

/** The same of a cadence whose rhythm is another one, or has only begun: iterations that have not begun get their days by it. */
export async function scheduleAnew(uow: UnitOfWork, cadence: CadenceRow): Promise<CadenceRow | Failure<'invalid'>> {
  const rhythm = rhythmOf(cadence);
  if (rhythm === null) return rest(uow, cadence);
  const plan = planned(rhythm, await standingOf(uow, cadence.id), true);
  return plan.whole ? carryOut(uow, cadence, plan) : NO_DAYS_LEFT;
}

/** Nothing is made by itself. */
function rest(uow: UnitOfWork, { id }: CadenceRow): Promise<CadenceRow> {
  return setRuns(uow, id, { next_run_date: null, rolled_over_until: null });
}

async function carryOut(
  uow: UnitOfWork,
  cadence: CadenceRow,
  { moved, added, nextRun }: Plan<PlacedIteration>,
): Promise<CadenceRow> {
  for (const { iteration, period } of moved) await moveIteration(uow, iteration.id, period);
  for (const period of added) await insertIteration(uow, cadence, period, NO_TEXTS);
  return setRuns(uow, cadence.id, { next_run_date: nextRun, rolled_over_until: await handOn(uow, cadence) });
}

/** Null: nothing is made by itself. */
function rhythmOf(cadence: CadenceRow): Rhythm | null {
  const { active, automatic, start_date, duration_in_weeks, iterations_in_advance } = cadence;
  if (!active || !automatic || start_date === null) return null;
  if (duration_in_weeks === null || iterations_in_advance === null) return null;
  return { start_date, duration_in_weeks, iterations_in_advance };
}

/** Says the day until which it has been done: while nothing is current, there is nowhere to hand it on to. */
async function handOn(uow: UnitOfWork, { id, roll_over, rolled_over_until: day }: CadenceRow): Promise<string> {
  if (!roll_over || day === null) return uow.today;
  if ((await currentIteration(uow, id)) === null) return day;
  for (const iterationId of await closedSince(uow, id, day)) {
    await enqueue(uow, rollOver, { cadenceId: id, iterationId }, { key: String(iterationId) });
  }
  return uow.today;
}

interface Due {
  readonly id: number;
  readonly group_id: number;
}

/**
 * Lets nobody read iterations of this group, of groups above it or inside it, before those that fall due today are there: throws
 * `OverdueWork` when some are lacking. Nothing is lacking but in the first moments of a day.
 */
export async function iterationsAreThere(db: Reader, groupId: number | null): Promise<void> {
  const all = dueCadences(db);
  // index: iteration_cadences_by_next_run, namespace_closure_pkey
  const due = await (groupId === null ? all : all.where((eb) => isAround(eb, groupId))).execute();
  if (due.length > 0) throw new OverdueWork((runUnitOfWork) => scheduleAll(runUnitOfWork, due));
}

function isAround(eb: ExpressionBuilder<Schema, 'iteration_cadences'>, groupId: number) {
  const line = eb.selectFrom('namespace_closure').select('depth');
  const own = eb.ref('iteration_cadences.group_id');
  return eb.or([
    eb.exists(line.where('ancestor_id', '=', own).where('descendant_id', '=', groupId)),
    eb.exists(line.where('ancestor_id', '=', groupId).where('descendant_id', '=', own)),
  ]);
}

function dueCadences(db: Reader) {
  return db.selectFrom('iteration_cadences').select(['id', 'group_id']).where('next_run_date', '<=', db.today);
}

async function scheduleAll(runUnitOfWork: RunUnitOfWork, due: readonly Due[]): Promise<void> {
  for (const { id, group_id } of due) {
    await runUnitOfWork(ANONYMOUS, (uow) => scheduleDue(uow, id), { turn: iterationsTurn({ id: group_id }) });
  }
}

/** Unless somebody else has done it meanwhile. */
async function scheduleDue(uow: UnitOfWork, id: number): Promise<void> {
  const cadence = await readCadence(uow, id);
  if (cadence?.next_run_date == null || cadence.next_run_date > uow.today) return;
  await schedule(uow, cadence);
}

/** So many are read at once. */
const BATCH = 100;

export const scheduleIterations = defineJob({
  kind: 'schedule_iterations',
  async handle({ database, runUnitOfWork, config }: Services) {
    if (config.tier === 'free') return;
    for (;;) {
      const due = await dueCadences(database.reader).orderBy('next_run_date').limit(BATCH).execute();
      await scheduleAll(runUnitOfWork, due);
      if (due.length < BATCH) return;
    }
  },
});

export const scheduleIterationsDaily: Schedule<Services> = {
  name: 'schedule_iterations',
  cron: '0 0 * * *',
  job: scheduleIterations,
};
