import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { clearUpcomingTitles, loadIterationTimeline } from './iteration-rows.ts';
import { rescheduleCadence, scheduleCadence } from './schedule.ts';
import { type CadenceContent, type CadenceRow, findCadence, updateCadenceRow } from './store.ts';
import { normalizeCadence, validateCadence } from './validation.ts';

/** Changes to a cadence. Null clears an optional attribute; undefined keeps it. */
export type UpdateCadenceInput = { readonly [Name in keyof CadenceContent]?: CadenceContent[Name] | null | undefined };

/**
 * Updates a cadence. A new start date or duration changes the dates of upcoming iterations. Missing iterations are created
 * in the same transaction.
 */
export async function updateCadence(
  uow: UnitOfWork<SignedInCaller>,
  { id, group_id }: Pick<CadenceRow, 'id' | 'group_id'>,
  change: UpdateCadenceInput,
): Promise<CadenceRow | Failure<'notFound' | 'invalid'>> {
  const before = await findCadence(uow, [group_id], id);
  if (before === null) return fail('notFound');
  const content = applyInput(before, change);
  const startsAnew = !before.automatic || content.start_date !== before.start_date;
  const startsSchedule =
    startsAnew || (content.active && (await loadIterationTimeline(uow, id)).latestStarted === null);
  const errors = validateCadence(content, uow.today, startsSchedule);
  if (errors) return invalid(errors);
  const reschedule = startsAnew || !before.active || content.duration_in_weeks !== before.duration_in_weeks;
  if (!before.automatic && content.automatic) await clearUpcomingTitles(uow, id);
  const after = await updateCadenceRow(uow, id, content);
  return reschedule ? rescheduleCadence(uow, after) : scheduleCadence(uow, after);
}

function applyInput(before: CadenceRow, change: UpdateCadenceInput): CadenceContent {
  const optional = <Name extends keyof CadenceContent>(name: Name) =>
    change[name] === undefined ? before[name] : change[name];
  return normalizeCadence({
    title: change.title === undefined ? before.title : (change.title ?? '').trim(),
    description: optional('description') ?? null,
    active: change.active ?? before.active,
    automatic: change.automatic ?? before.automatic,
    start_date: optional('start_date') ?? null,
    duration_in_weeks: optional('duration_in_weeks') ?? null,
    iterations_in_advance: optional('iterations_in_advance') ?? null,
    roll_over: change.roll_over ?? before.roll_over,
  });
}
