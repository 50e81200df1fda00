import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findNextRun } from './cron.ts';
import { findScheduleById, type ScheduleRow, updateSchedule } from './store.ts';
import { type ScheduleContent, validateSchedule } from './validation.ts';

/** Attributes to change; absent ones keep their values. */
type ScheduleChanges = Partial<ScheduleContent & { readonly active: boolean }>;

/** Updates a schedule. Its next run is recalculated if its times change or it becomes active. */
export async function applyScheduleChanges(
  uow: UnitOfWork,
  project: Project,
  { id }: ScheduleRow,
  changes: ScheduleChanges,
): Promise<ScheduleRow | Failure<'invalid' | 'notFound'>> {
  const current = await findScheduleById(uow, id);
  if (current === null) return fail('notFound');
  const { active = current.active, ...contentChanges } = changes;
  const content = await validateSchedule(uow, project, { ...current, ...contentChanges }, 'update');
  if (isFailure(content)) return content;
  if (Object.keys(changes).length === 0) return current;
  const { description, ref, cron, cron_timezone } = content;
  const mustReschedule =
    cron !== current.cron || cron_timezone !== current.cron_timezone || (active && !current.active);
  const nextRun = mustReschedule ? { next_run_at: findNextRun(cron, cron_timezone, uow.now)! } : {};
  const values = { description, ref, cron, cron_timezone, active, ...nextRun };
  return (await updateSchedule(uow, id, values)) ?? fail('notFound');
}

/** Makes the caller the owner of the schedule. Returns the schedule, unchanged if the caller is already its owner. */
export async function takeScheduleOwnership(
  uow: UnitOfWork<SignedInCaller>,
  schedule: ScheduleRow,
): Promise<ScheduleRow | Failure<'notFound'>> {
  const owner_id = uow.actor.user.id;
  if (schedule.owner_id === owner_id) return schedule;
  return (await updateSchedule(uow, schedule.id, { owner_id })) ?? fail('notFound');
}
