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
  input: UpdateCadenceInput,
): Promise<CadenceRow | Failure<'notFound' | 'invalid'>> {
  const before = await findCadence(uow, [group_id], id);
  if (before === null) return fail('notFound');
  const content = applyInput(before, input);
  const restartsSchedule = !before.automatic || content.start_date !== before.start_date;
  const startsSchedule =
    restartsSchedule || (content.active && (await loadIterationTimeline(uow, id)).latestStarted === null);
  const errors = validateCadence(content, uow.today, startsSchedule);
  if (errors) return invalid(errors);
  const needsRescheduling =
    restartsSchedule || !before.active || content.duration_in_weeks !== before.duration_in_weeks;
  if (!before.automatic && content.automatic) await clearUpcomingTitles(uow, id);
  const updatedCadence = await updateCadenceRow(uow, id, content);
  return needsRescheduling ? rescheduleCadence(uow, updatedCadence) : scheduleCadence(uow, updatedCadence);
}

function applyInput(before: CadenceRow, input: UpdateCadenceInput): CadenceContent {
  const getValueAfter = <Name extends keyof CadenceContent>(name: Name) =>
    input[name] === undefined ? before[name] : input[name];
  return normalizeCadence({
    title: input.title === undefined ? before.title : (input.title ?? '').trim(),
    description: getValueAfter('description') ?? null,
    active: input.active ?? before.active,
    automatic: input.automatic ?? before.automatic,
    start_date: getValueAfter('start_date') ?? null,
    duration_in_weeks: getValueAfter('duration_in_weeks') ?? null,
    iterations_in_advance: getValueAfter('iterations_in_advance') ?? null,
    roll_over: input.roll_over ?? before.roll_over,
  });
}
