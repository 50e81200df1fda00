import type { ExpressionBuilder } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import { OverdueWork } from '#events/overdue-work.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import {
  assignIterationBatch,
  findCurrentIteration,
  insertIteration,
  iterationsLockKey,
  listIterationsClosedSince,
  loadIterationTimeline,
  NO_TEXTS,
  type ScheduledIteration,
  updateIterationDates,
} from './iteration-rows.ts';
import { planSchedule, type SchedulePlan, type ScheduleRule } from './periods.ts';
import { type CadenceRow, findCadenceById, updateCadenceRunDates } from './store.ts';

// Creates the missing iterations of automatic cadences: on each change, daily, and before iterations are read.

/** Creates the missing iterations of an automatic cadence and enqueues the roll-over of closed ones. Returns the updated cadence. */
export async function scheduleCadence(uow: UnitOfWork, cadence: CadenceRow): Promise<CadenceRow> {
  const rule = getScheduleRule(cadence);
  return rule === null
    ? pauseCadence(uow, cadence)
    : applyPlan(uow, cadence, planSchedule(rule, await loadIterationTimeline(uow, cadence.id), { reschedule: false }));
}

/** Failure: an iteration would end after the last day of the calendar. */
const NO_DAYS_LEFT = invalid({ start_date: ['is not included in the list'] });

/** Schedules a new cadence, or one whose rule has changed: upcoming iterations get new dates. Returns the updated cadence. */
export async function rescheduleCadence(
  uow: UnitOfWork,
  cadence: CadenceRow,
): Promise<CadenceRow | Failure<'invalid'>> {
  const rule = getScheduleRule(cadence);
  if (rule === null) return pauseCadence(uow, cadence);
  const plan = planSchedule(rule, await loadIterationTimeline(uow, cadence.id), { reschedule: true });
  return plan.isComplete ? applyPlan(uow, cadence, plan) : NO_DAYS_LEFT;
}

/** Stops automatic scheduling of the cadence. */
function pauseCadence(uow: UnitOfWork, { id }: CadenceRow): Promise<CadenceRow> {
  return updateCadenceRunDates(uow, id, { next_run_date: null, rolled_over_until: null });
}

async function applyPlan(
  uow: UnitOfWork,
  cadence: CadenceRow,
  { rescheduledIterations: rescheduled, newPeriods, nextRun }: SchedulePlan<ScheduledIteration>,
): Promise<CadenceRow> {
  for (const { iteration, period } of rescheduled) await updateIterationDates(uow, iteration.id, period);
  for (const period of newPeriods) await insertIteration(uow, cadence, { period, texts: NO_TEXTS });
  return updateCadenceRunDates(uow, cadence.id, {
    next_run_date: nextRun,
    rolled_over_until: await enqueueRollOvers(uow, cadence),
  });
}

/** Returns the rule of an active automatic cadence, else null. */
function getScheduleRule(cadence: CadenceRow): ScheduleRule | null {
  const { active, automatic, start_date, duration_in_weeks, iterations_in_advance } = cadence;
  if (!active || !automatic || start_date === null) return null;
  if (duration_in_weeks === null || iterations_in_advance === null) return null;
  return { start_date, duration_in_weeks, iterations_in_advance };
}

/**
 * Enqueues the roll-over of iterations that have closed since the last call. Returns the day until which roll-overs are done: today
 * or, while no iteration is current to which issues could move, the day of the last call.
 */
async function enqueueRollOvers(
  uow: UnitOfWork,
  { id, roll_over, rolled_over_until: rolledOverUntil }: CadenceRow,
): Promise<string> {
  if (!roll_over || rolledOverUntil === null) return uow.today;
  if ((await findCurrentIteration(uow, id)) === null) return rolledOverUntil;
  for (const iterationId of await listIterationsClosedSince(uow, id, rolledOverUntil)) {
    await enqueue(uow, rollOverIteration, { cadenceId: id, iterationId }, { key: String(iterationId) });
  }
  return uow.today;
}

type DueCadence = Columns<'iteration_cadences', 'id' | 'group_id'>;

/**
 * Throws `OverdueWork` if a cadence of this group, its ancestors or its descendants must be scheduled; null means all groups. The
 * server then creates the iterations and repeats the read. This happens at most once per cadence and day.
 */
export async function assertIterationsScheduled(db: Reader, groupId: number | null): Promise<void> {
  const query = selectDueCadences(db);
  // index: iteration_cadences_by_next_run, namespace_closure_pkey
  const dueCadences = await (groupId === null ? query : query.where((eb) => isInHierarchyOf(eb, groupId))).execute();
  if (dueCadences.length > 0) throw new OverdueWork((runUnitOfWork) => scheduleAll(runUnitOfWork, dueCadences));
}

/** Returns the condition that the cadence belongs to this group, an ancestor or a descendant. */
function isInHierarchyOf(eb: ExpressionBuilder<Schema, 'iteration_cadences'>, groupId: number) {
  const closure = eb.selectFrom('namespace_closure').select('depth');
  const cadenceGroupId = eb.ref('iteration_cadences.group_id');
  return eb.or([
    eb.exists(closure.where('ancestor_id', '=', cadenceGroupId).where('descendant_id', '=', groupId)),
    eb.exists(closure.where('ancestor_id', '=', groupId).where('descendant_id', '=', cadenceGroupId)),
  ]);
}

function selectDueCadences(db: Reader) {
  return db.selectFrom('iteration_cadences').select(['id', 'group_id']).where('next_run_date', '<=', db.today);
}

async function scheduleAll(runUnitOfWork: RunUnitOfWork, dueCadences: readonly DueCadence[]): Promise<void> {
  for (const { id, group_id } of dueCadences) {
    await runUnitOfWork(ANONYMOUS, (uow) => scheduleIfDue(uow, id), { lock: iterationsLockKey({ id: group_id }) });
  }
}

/** Schedules the cadence unless a concurrent run has done so. */
async function scheduleIfDue(uow: UnitOfWork, id: number): Promise<void> {
  const cadence = await findCadenceById(uow, id);
  if (cadence?.next_run_date == null || cadence.next_run_date > uow.today) return;
  await scheduleCadence(uow, cadence);
}

const CADENCES_PER_BATCH = 100;

/** Schedules all due cadences, in batches until none is left. */
export const scheduleIterations = defineJob({
  kind: 'schedule_iterations',
  async handle({ database, runUnitOfWork, config }: Pick<Services, 'config' | 'database' | 'runUnitOfWork'>) {
    if (config.tier === 'free') return;
    for (;;) {
      const dueCadences = await selectDueCadences(database.reader)
        .orderBy('next_run_date')
        .limit(CADENCES_PER_BATCH)
        .execute();
      await scheduleAll(runUnitOfWork, dueCadences);
      if (dueCadences.length < CADENCES_PER_BATCH) return;
    }
  },
});

export const scheduleIterationsDaily: Schedule<Services> = {
  name: 'schedule_iterations',
  cron: '0 0 * * *',
  job: scheduleIterations,
};

interface ClosedIteration {
  readonly cadenceId: number;
  readonly iterationId: number;
}

/** Moves the open issues of a closed iteration to the current iteration of its cadence, in batches. */
export const rollOverIteration = defineJob({
  kind: 'roll_over_iteration',
  handle: async ({ runUnitOfWork }: Pick<Services, 'runUnitOfWork'>, closedIteration: ClosedIteration) => {
    await runInBatches(runUnitOfWork, ANONYMOUS, {
      recheck: recheckNothing,
      runBatch: (uow) => moveOpenIssues(uow, closedIteration),
    });
  },
});

async function moveOpenIssues(
  uow: UnitOfWork,
  { cadenceId, iterationId }: ClosedIteration,
): Promise<typeof MORE | undefined> {
  // The cadence may have been deleted, or its roll-over disabled, since the job was enqueued.
  if (!(await findCadenceById(uow, cadenceId))?.roll_over) return undefined;
  const currentIterationId = await findCurrentIteration(uow, cadenceId);
  if (currentIterationId === null || currentIterationId === iterationId) return undefined;
  return (await moveOpenIssueBatch(uow, iterationId, currentIterationId)) === BATCH_SIZE ? MORE : undefined;
}

/** Moves one batch of open issues to another iteration and returns their number. */
function moveOpenIssueBatch(tx: Transaction, fromId: number, toId: number): Promise<number> {
  return assignIterationBatch(tx, toId, (issues) =>
    issues.where('iteration_id', '=', fromId).where('state', '=', 'opened').orderBy('id'),
  );
}
