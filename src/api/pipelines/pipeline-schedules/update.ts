import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { nextRunAfter } from './cron.ts';
import { findScheduleById, type ScheduleRow, updateSchedule } from './store.ts';
import { type ScheduleContent, validateSchedule } from './validation.ts';

/** Changed attributes; absent ones stay. */
type ScheduleChanges = Partial<ScheduleContent & { readonly active: boolean }>;

/** Updates a schedule. Its next run is recalculated if its times change or it becomes active. */
export async function applyScheduleChanges(
  uow: UnitOfWork,
  project: Project,
  { id }: ScheduleRow,
  changes: ScheduleChanges,
): Promise<ScheduleRow | Failure<'invalid' | 'gone'>> {
  const now = await findScheduleById(uow, id);
  if (now === null) return fail('gone');
  const { active = now.active, ...others } = changes;
  const content = await validateSchedule(uow, project, { ...now, ...others }, 'update');
  if (isFailure(content)) return content;
  if (Object.keys(changes).length === 0) return now;
  const { description, ref, cron, cron_timezone } = content;
  const isOther = cron !== now.cron || cron_timezone !== now.cron_timezone || (active && !now.active);
  const next = isOther ? { next_run_at: nextRunAfter(cron, cron_timezone, uow.now)! } : {};
  const set = { description, ref, cron, cron_timezone, active, ...next };
  return (await updateSchedule(uow, id, set)) ?? fail('gone');
}

/** Makes the caller the owner of the schedule; the owner's own request changes nothing. */
export async function takeScheduleOwnership(
  uow: UnitOfWork<SignedInCaller>,
  schedule: ScheduleRow,
): Promise<ScheduleRow | Failure<'gone'>> {
  const owner_id = uow.actor.user.id;
  if (schedule.owner_id === owner_id) return schedule;
  return (await updateSchedule(uow, schedule.id, { owner_id })) ?? fail('gone');
}
