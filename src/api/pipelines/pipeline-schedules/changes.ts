import type { SignedInCaller } from '#authentication/caller.ts';
import { mayUpdateJobsOn } from '#authorization/pipelines.ts';
import type { Columns, Transaction } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import { toBranchOrTag } from './access.ts';
import { findNextRun, findTimeZone, isCron } from './cron.ts';
import { countSchedules, findScheduleById, insertSchedule, type ScheduleRow, updateSchedule } from './store.ts';

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

/**
 * Deactivates the schedules of a deleted user; a new owner must activate them again. The few schedules of a project are
 * deleted with its row.
 */
export const onScheduleOwnerDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) => runBatchSteps(() => deactivateSchedulesOfUser(uow, userId, BATCH_SIZE)),
});

/** Deactivates one batch and returns its size. index: pipeline_schedules_by_owner */
async function deactivateSchedulesOfUser(tx: Transaction, userId: number, limit: number): Promise<number> {
  const ownedSchedules = tx.selectFrom('pipeline_schedules').select('id').where('owner_id', '=', userId).limit(limit);
  const result = await tx
    .updateTable('pipeline_schedules')
    .set({ owner_id: null, active: false, updated_at: tx.now })
    .where('id', 'in', ownedSchedules)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

// Attributes of a schedule and their validation (contract/runners.md §4.7).

interface ScheduleContent extends Columns<'pipeline_schedules', 'description' | 'cron' | 'cron_timezone'> {
  /** The full name of a branch or tag; null: unknown or ambiguous. */
  readonly ref: string | null;
}

interface ValidSchedule extends ScheduleContent {
  readonly ref: string;
}

/** Validates the content and checks that the caller may run pipelines on the ref. */
async function validateSchedule(
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
