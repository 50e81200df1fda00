import type { ExpressionBuilder } from 'kysely';
import { NOBODY } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { FallenDue } from '#events/overdue-work.ts';
import type { Act, Acting } from '#events/unit-of-work.ts';
import type { Rooms } from '#http/services.ts';
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
export async function schedule(act: Act, cadence: CadenceRow): Promise<CadenceRow> {
  const rhythm = rhythmOf(cadence);
  return rhythm === null
    ? rest(act, cadence)
    : carryOut(act, cadence, planned(rhythm, await standingOf(act, cadence.id), false));
}

/** Where the calendar ends before its iterations do. */
const NO_DAYS_LEFT = invalid({ start_date: ['is not included in the list'] });

/** The same of a cadence whose rhythm is another one, or has only begun: iterations that have not begun get their days by it. */
export async function scheduleAnew(act: Act, cadence: CadenceRow): Promise<CadenceRow | Failure<'invalid'>> {
  const rhythm = rhythmOf(cadence);
  if (rhythm === null) return rest(act, cadence);
  const plan = planned(rhythm, await standingOf(act, cadence.id), true);
  return plan.whole ? carryOut(act, cadence, plan) : NO_DAYS_LEFT;
}

/** Nothing is made by itself. */
function rest(act: Act, { id }: CadenceRow): Promise<CadenceRow> {
  return setRuns(act, id, { next_run_date: null, rolled_over_until: null });
}

async function carryOut(
  act: Act,
  cadence: CadenceRow,
  { moved, added, nextRun }: Plan<PlacedIteration>,
): Promise<CadenceRow> {
  for (const { iteration, period } of moved) await moveIteration(act, iteration.id, period);
  for (const period of added) await insertIteration(act, cadence, period, NO_TEXTS);
  return setRuns(act, cadence.id, { next_run_date: nextRun, rolled_over_until: await handOn(act, cadence) });
}

/** Null: nothing is made by itself. */
function rhythmOf(cadence: CadenceRow): Rhythm | null {
  const { active, automatic, start_date, duration_in_weeks, iterations_in_advance } = cadence;
  if (!active || !automatic || start_date === null) return null;
  if (duration_in_weeks === null || iterations_in_advance === null) return null;
  return { start_date, duration_in_weeks, iterations_in_advance };
}

/** Says the day until which it has been done: while nothing is current, there is nowhere to hand it on to. */
async function handOn(act: Act, { id, roll_over, rolled_over_until: day }: CadenceRow): Promise<string> {
  if (!roll_over || day === null) return act.today;
  if ((await currentIteration(act, id)) === null) return day;
  for (const iterationId of await closedSince(act, id, day)) {
    await enqueue(act, rollOver, { cadenceId: id, iterationId }, { key: String(iterationId) });
  }
  return act.today;
}

interface Due {
  readonly id: number;
  readonly group_id: number;
}

/**
 * Lets nobody read iterations of this group, of groups above it or inside it, before those that fall due today are there: throws
 * `FallenDue` when some are lacking. Nothing is lacking but in the first moments of a day.
 */
export async function iterationsAreThere(db: Reader, groupId: number | null): Promise<void> {
  const all = dueCadences(db);
  // index: iteration_cadences_by_next_run, namespace_closure_pkey
  const due = await (groupId === null ? all : all.where((eb) => isAround(eb, groupId))).execute();
  if (due.length > 0) throw new FallenDue((acting) => scheduleAll(acting, due));
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

async function scheduleAll(acting: Acting, due: readonly Due[]): Promise<void> {
  for (const { id, group_id } of due) {
    await acting(NOBODY, (act) => scheduleDue(act, id), { turn: iterationsTurn({ id: group_id }) });
  }
}

/** Unless somebody else has done it meanwhile. */
async function scheduleDue(act: Act, id: number): Promise<void> {
  const cadence = await readCadence(act, id);
  if (cadence?.next_run_date == null || cadence.next_run_date > act.today) return;
  await schedule(act, cadence);
}

/** So many are read at once. */
const BATCH = 100;

export const scheduleIterations = defineJob({
  kind: 'schedule_iterations',
  async handle({ database, acting, config }: Rooms) {
    if (config.tier === 'free') return;
    for (;;) {
      const due = await dueCadences(database.reader).orderBy('next_run_date').limit(BATCH).execute();
      await scheduleAll(acting, due);
      if (due.length < BATCH) return;
    }
  },
});

export const scheduleIterationsDaily: Schedule<Rooms> = {
  name: 'schedule_iterations',
  cron: '0 0 * * *',
  job: scheduleIterations,
};
