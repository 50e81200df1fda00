import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { nextRunAfter } from './cron.ts';
import { readSchedule, type ScheduleRow, updateSchedule } from './store.ts';
import { type Content, checked } from './validation.ts';

/** What is to be another; what is not in it stays. */
type Changes = Partial<Content & { readonly active: boolean }>;

/** Changes what a schedule says; its next moment is another one when its times are, or when it becomes active again. */
export async function changeSchedule(
  uow: UnitOfWork,
  project: Project,
  { id }: ScheduleRow,
  changes: Changes,
): Promise<ScheduleRow | Failure<'invalid' | 'gone'>> {
  const now = await readSchedule(uow, id);
  if (now === null) return fail('gone');
  const { active = now.active, ...others } = changes;
  const content = await checked(uow, project, { ...now, ...others }, 'update');
  if (isFailure(content)) return content;
  if (Object.keys(changes).length === 0) return now;
  const { description, ref, cron, cron_timezone } = content;
  const isOther = cron !== now.cron || cron_timezone !== now.cron_timezone || (active && !now.active);
  const next = isOther ? { next_run_at: nextRunAfter(cron, cron_timezone, uow.now)! } : {};
  const set = { description, ref, cron, cron_timezone, active, ...next };
  return (await updateSchedule(uow, id, set)) ?? fail('gone');
}

/** From now on its pipelines run in the name of whoever takes it; whose it is already keeps it as it is. */
export async function takeSchedule(
  uow: UnitOfWork<SignedInCaller>,
  schedule: ScheduleRow,
): Promise<ScheduleRow | Failure<'gone'>> {
  const owner_id = uow.actor.user.id;
  if (schedule.owner_id === owner_id) return schedule;
  return (await updateSchedule(uow, schedule.id, { owner_id })) ?? fail('gone');
}
