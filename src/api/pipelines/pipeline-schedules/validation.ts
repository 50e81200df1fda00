import { mayUpdateJobsOn } from '#authorization/pipelines.ts';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, invalid } from '#runtime/failure.ts';
import { findNextRun, isCron } from './cron.ts';
import { toBranchOrTag } from './ref-names.ts';
import { findTimeZone } from './time-zones.ts';

/** Attributes of a schedule and their validation (contract/runners.md §4.7). */

export interface ScheduleContent extends Columns<'pipeline_schedules', 'description' | 'cron' | 'cron_timezone'> {
  /** The full name of a branch or tag; null: unknown or ambiguous. */
  readonly ref: string | null;
}

interface ValidSchedule extends ScheduleContent {
  readonly ref: string;
}

/** Validates the content and checks that the caller may run pipelines on the ref. */
export async function validateSchedule(
  uow: UnitOfWork,
  project: Project,
  content: ScheduleContent,
  verb: 'create' | 'update',
): Promise<ValidSchedule | Failure<'invalid'>> {
  const errors = findFieldErrors(content, uow.now);
  if (errors !== null) return invalid(errors);
  const validContent = content as ValidSchedule;
  if (await mayUpdateJobsOn(uow, uow.actor, project, toBranchOrTag(validContent.ref))) return validContent;
  return invalid({ base: [`The current user is not authorized to ${verb} the pipeline schedule`] });
}

function findFieldErrors({ description, ref, cron, cron_timezone }: ScheduleContent, now: string): FieldErrors | null {
  const isZoneValid = findTimeZone(cron_timezone) !== null;
  const isCronValid = isCron(cron) && (!isZoneValid || findNextRun(cron, cron_timezone, now) !== null);
  return compactFieldErrors({
    cron: isCronValid ? [] : ['syntax is invalid'],
    cron_timezone: isZoneValid ? [] : ['syntax is invalid'],
    ref: ref === null ? ['is ambiguous'] : [],
    description: description.trim() === '' ? ["can't be blank"] : [],
  });
}
