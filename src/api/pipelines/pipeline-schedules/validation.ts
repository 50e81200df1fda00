import { mayChangeJobsOf } from '#authorization/pipelines.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, fieldErrors, invalid } from '#runtime/failure.ts';
import { isCron, nextRunAfter } from './cron.ts';
import { placeOf } from './ref-names.ts';
import { zoneNamed } from './time-zones.ts';

/** What a schedule says, and what may be wrong with it (contract/runners.md §4.7). */

export interface Content {
  readonly description: string;
  /** The full name of a branch or tag; null: what was said means none, or two. */
  readonly ref: string | null;
  readonly cron: string;
  readonly cron_timezone: string;
}

interface Sound extends Content {
  readonly ref: string;
}

/** The same content, with nothing wrong in it, of whose ref the caller may run something. */
export async function checked(
  uow: UnitOfWork,
  project: Project,
  content: Content,
  verb: 'create' | 'update',
): Promise<Sound | Failure<'invalid'>> {
  const errors = problemsOf(content, uow.now);
  if (errors !== null) return invalid(errors);
  const sound = content as Sound;
  if (await mayChangeJobsOf(uow, uow.actor, project, placeOf(sound.ref))) return sound;
  return invalid({ base: [`The current user is not authorized to ${verb} the pipeline schedule`] });
}

function problemsOf({ description, ref, cron, cron_timezone }: Content, now: string): FieldErrors | null {
  const isZone = zoneNamed(cron_timezone) !== null;
  const isSound = isCron(cron) && (!isZone || nextRunAfter(cron, cron_timezone, now) !== null);
  return fieldErrors({
    cron: isSound ? [] : ['syntax is invalid'],
    cron_timezone: isZone ? [] : ['syntax is invalid'],
    ref: ref === null ? ['is ambiguous'] : [],
    description: description.trim() === '' ? ["can't be blank"] : [],
  });
}
