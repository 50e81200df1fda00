import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { findNextRun } from './cron.ts';
import { countSchedules, insertSchedule, type ScheduleRow } from './store.ts';
import { type ScheduleContent, validateSchedule } from './validation.ts';

const MAX_SCHEDULES_PER_PROJECT = 10;

/** Returns the lock key for the creation of schedules, so that concurrent requests cannot exceed the limit. */
export const getSchedulesLockKey = ({ id }: Project) => `schedules of project ${id}`;

/** Creates a schedule whose pipelines run as its creator. */
export async function createSchedule(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { active, ...input }: ScheduleContent & { readonly active: boolean },
): Promise<ScheduleRow | Failure<'invalid'>> {
  const content = await validateSchedule(uow, project, input, 'create');
  if (isFailure(content)) return content;
  if ((await countSchedules(uow, project.id)) >= MAX_SCHEDULES_PER_PROJECT) {
    return invalid({ base: [`Maximum number of ci pipeline schedules (${MAX_SCHEDULES_PER_PROJECT}) exceeded`] });
  }
  const next_run_at = findNextRun(content.cron, content.cron_timezone, uow.now)!;
  return insertSchedule(uow, { ...content, active, next_run_at, project_id: project.id, owner_id: uow.actor.user.id });
}
