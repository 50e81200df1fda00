import { sql } from 'kysely';
import { estimateChanged, type SystemText, TIME_SPENT_REMOVED, tableOf, timeSpent } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { humanDuration, readDuration } from './durations.ts';

/** How long a thing should take, and how long it has taken (contract/planning.md §3.6). Each change is told in a note. */

/** What people take time for. */
export interface Timed {
  readonly type: 'Issue' | 'MergeRequest';
  readonly id: number;
}

export interface Times {
  readonly time_estimate: number;
  readonly total_time_spent: number;
}

/** Sets the estimate to a length of time, `3h30m`. */
export async function estimate(
  uow: UnitOfWork,
  thing: Timed,
  duration: string,
): Promise<Times | Failure<'estimateInvalid' | 'gone'>> {
  const seconds = readDuration(duration);
  if (seconds === null || seconds < 0) return fail('estimateInvalid');
  return estimated(uow, thing, seconds);
}

export const resetEstimate = (uow: UnitOfWork, thing: Timed) => estimated(uow, thing, 0);

async function estimated(uow: UnitOfWork, thing: Timed, seconds: number): Promise<Times | Failure<'gone'>> {
  const now = await asItStands(uow, thing);
  if (now === null) return fail('gone');
  if (now.time_estimate === seconds) return now;
  return changed(uow, thing, { ...now, time_estimate: seconds }, estimateChanged(humanDuration(seconds)));
}

/** Adds a length of time to what has been spent, or takes one that begins with a minus from it. */
export async function spend(
  uow: UnitOfWork,
  thing: Timed,
  duration: string,
  day = uow.today,
): Promise<Times | Failure<'spentInvalid' | 'invalid' | 'gone'>> {
  const seconds = readDuration(duration);
  if (seconds === null || seconds === 0) return fail('spentInvalid');
  const now = await asItStands(uow, thing);
  if (now === null) return fail('gone');
  const total = now.total_time_spent + seconds;
  const errors = fieldErrors({ base: total < 0 ? ['Time to subtract exceeds the total time spent'] : [] });
  if (errors) return invalid(errors);
  const told = timeSpent(humanDuration(Math.abs(seconds)) ?? '', day, seconds < 0);
  return changed(uow, thing, { ...now, total_time_spent: total }, told);
}

export async function resetSpent(uow: UnitOfWork, thing: Timed): Promise<Times | Failure<'gone'>> {
  const now = await asItStands(uow, thing);
  if (now === null) return fail('gone');
  return now.total_time_spent === 0 ? now : changed(uow, thing, { ...now, total_time_spent: 0 }, TIME_SPENT_REMOVED);
}

/** index: issues primary key, merge_requests primary key */
async function asItStands(uow: UnitOfWork, { type, id }: Timed): Promise<Times | null> {
  const { rows } =
    await sql<Times>`select time_estimate, total_time_spent from ${sql.table(tableOf(type))} where id = ${id}`.execute(
      uow,
    );
  return rows[0] ?? null;
}

async function changed(uow: UnitOfWork, { type, id }: Timed, times: Times, text: SystemText): Promise<Times> {
  const { time_estimate, total_time_spent } = times;
  await sql`
    update ${sql.table(tableOf(type))}
    set time_estimate = ${time_estimate}, total_time_spent = ${total_time_spent}, updated_at = ${uow.now}
    where id = ${id}`.execute(uow);
  await uow.record({ noteOn: { type, id }, text });
  return times;
}
