import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { nextRunAfter } from './cron.ts';
import { countSchedules, insertSchedule, type ScheduleRow } from './store.ts';
import { type Content, checked } from './validation.ts';

const MOST_IN_PROJECT = 10;

/** Those who make the last one at once must not all be let through. */
export const turnOf = ({ id }: Project) => `schedules of project ${id}`;

/** Has the project run pipelines at its moments, in the name of whoever makes it. */
export async function createSchedule(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { active, ...wish }: Content & { readonly active: boolean },
): Promise<ScheduleRow | Failure<'invalid'>> {
  const content = await checked(uow, project, wish, 'create');
  if (isFailure(content)) return content;
  if ((await countSchedules(uow, project.id)) >= MOST_IN_PROJECT) {
    return invalid({ base: [`Maximum number of ci pipeline schedules (${MOST_IN_PROJECT}) exceeded`] });
  }
  const next_run_at = nextRunAfter(content.cron, content.cron_timezone, uow.now)!;
  return insertSchedule(uow, { ...content, active, next_run_at, project_id: project.id, owner_id: uow.actor.user.id });
}
