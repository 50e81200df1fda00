import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { loseTitles, standingOf } from './iteration-rows.ts';
import { schedule, scheduleAnew } from './schedule.ts';
import { type CadenceContent, type CadenceRow, findCadence, updateCadence } from './store.ts';
import { completed, contentErrors } from './validation.ts';

/** What was sent of a cadence; null takes away what can be absent. */
export type CadenceChange = { readonly [Name in keyof CadenceContent]?: CadenceContent[Name] | null | undefined };

/**
 * Changes a cadence as it stands now. Another first day or length gives its iterations that have not begun other days;
 * those that lack are there when this is done.
 */
export async function changeCadence(
  uow: UnitOfWork<SignedInCaller>,
  { id, group_id }: Pick<CadenceRow, 'id' | 'group_id'>,
  change: CadenceChange,
): Promise<CadenceRow | Failure<'notFound' | 'invalid'>> {
  const before = await findCadence(uow, [group_id], id);
  if (before === null) return fail('notFound');
  const content = changed(before, change);
  const startsAnew = !before.automatic || content.start_date !== before.start_date;
  const begins = startsAnew || (content.active && (await standingOf(uow, id)).begun === null);
  const errors = contentErrors(content, uow.today, begins);
  if (errors) return invalid(errors);
  const anew = startsAnew || !before.active || content.duration_in_weeks !== before.duration_in_weeks;
  if (!before.automatic && content.automatic) await loseTitles(uow, id);
  const after = await updateCadence(uow, id, content);
  return anew ? scheduleAnew(uow, after) : schedule(uow, after);
}

function changed(before: CadenceRow, change: CadenceChange): CadenceContent {
  const optional = <Name extends keyof CadenceContent>(name: Name) =>
    change[name] === undefined ? before[name] : change[name];
  return completed({
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
