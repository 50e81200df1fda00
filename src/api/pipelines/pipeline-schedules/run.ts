import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ANONYMOUS, getStateBlock, isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { timestamp } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { createPipelineForRef } from '../pipelines/index.ts';
import { findNextRun } from './cron.ts';
import {
  deactivateSchedule,
  findScheduleById,
  loadScheduleVariables,
  type ScheduleRow,
  selectDueSchedules,
  setNextRun,
} from './store.ts';

type ScheduleServices = Pick<Services, 'database' | 'git' | 'runUnitOfWork' | 'secretKey' | 'serverUrl'>;

// Runs due schedules (contract/runners.md §4.7). Every minute each due schedule is advanced by a compare-and-set in the
// transaction that enqueues its run, so that only one process enqueues it. Several missed times lead to one run. The due
// timestamp of a run is its idempotency key, so that retries create only one pipeline.

const DUE_BATCH_SIZE = 50;

/** Enqueues the runs of all due schedules. */
export const startDueSchedules = defineJob({
  kind: 'start_due_pipeline_schedules',
  async handle(
    { database, clock, runUnitOfWork }: Pick<Services, 'clock' | 'database' | 'runUnitOfWork'>,
    _payload: Record<string, never>,
    { signal },
  ) {
    for (;;) {
      const now = timestamp(clock);
      const dueSchedules = await selectDueSchedules(database.reader, now, DUE_BATCH_SIZE).execute();
      for (const schedule of dueSchedules) {
        const nextRunAt = findNextRun(schedule.cron, schedule.cron_timezone, now);
        await runUnitOfWork(ANONYMOUS, async (uow) => {
          // A schedule has no next run if its time zone was removed from the time zone database.
          if (nextRunAt === null) return deactivateSchedule(uow, schedule);
          const run = { scheduleId: schedule.id, dueAt: schedule.next_run_at };
          if (await setNextRun(uow, schedule, nextRunAt)) await enqueue(uow, runSchedule, run);
        });
        await yieldToEventLoop();
      }
      if (dueSchedules.length < DUE_BATCH_SIZE || signal.aborted) return;
    }
  },
});

export const startDueSchedulesEachMinute: Schedule<Services> = {
  name: 'start_due_pipeline_schedules',
  cron: '* * * * *',
  job: startDueSchedules,
};

/**
 * Creates the pipeline of a due schedule. Deactivates the schedule if its owner may no longer run pipelines on its ref.
 */
export const runSchedule = defineJob({
  kind: 'run_pipeline_schedule',
  async handle(
    services: ScheduleServices,
    { scheduleId, dueAt }: { readonly scheduleId: number; readonly dueAt: string },
  ) {
    const { database, runUnitOfWork } = services;
    const db = database.reader;
    const schedule = await findScheduleById(db, scheduleId);
    if (!schedule?.active) return;
    const owner = await loadCaller(db, schedule.owner_id, null);
    const project = await findProject(db, owner, String(schedule.project_id));
    if (project === null || project.archived || project.builds_access_level === 'disabled') return;
    const ownerHasAccess = isSignedIn(owner) && getStateBlock(owner.user) === null && canSeeProject(owner, project);
    const isPermitted =
      ownerHasAccess &&
      (await createScheduledPipeline(services, owner, {
        project,
        schedule,
        origin: `schedule ${scheduleId} ${dueAt}`,
      }));
    if (!isPermitted) await runUnitOfWork(ANONYMOUS, (uow) => deactivateSchedule(uow, schedule));
  },
});

/** Creates the pipeline of a schedule that a user played. Does nothing if the user has lost access to the project. */
export const playSchedule = defineJob({
  kind: 'play_pipeline_schedule',
  async handle(
    services: ScheduleServices,
    { scheduleId, userId }: { readonly scheduleId: number; readonly userId: number },
    { id },
  ) {
    const db = services.database.reader;
    const schedule = await findScheduleById(db, scheduleId);
    const caller = await loadCaller(db, userId, null);
    const project = schedule && (await findProject(db, caller, String(schedule.project_id)));
    if (schedule === null || project === null || !isSignedIn(caller) || !canSeeProject(caller, project)) return;
    await createScheduledPipeline(services, caller, {
      project,
      schedule,
      origin: `played schedule ${scheduleId} ${id}`,
    });
  },
});

interface ScheduleRun {
  readonly project: Project;
  readonly schedule: ScheduleRow;
  /** Idempotency key of the pipeline. */
  readonly origin: string;
}

/** Creates the pipeline, unless it would have no jobs. Returns false if the user may not run pipelines on the ref. */
async function createScheduledPipeline(
  services: ScheduleServices,
  caller: SignedInCaller,
  { project, schedule, origin }: ScheduleRun,
): Promise<boolean> {
  try {
    const pipeline = await createPipelineForRef(services, caller, project, {
      ref: schedule.ref,
      source: 'schedule',
      extraVariables: await loadScheduleVariables(services, schedule.id),
      starter: { schedule_id: schedule.id, schedule_description: schedule.description },
      origin,
      storeIfInvalid: true,
      baseUrl: services.serverUrl(),
      client: null,
    });
    return !isFailure(pipeline) || !['notPermitted', 'notAllowed'].includes(pipeline.code);
  } catch (error) {
    // The user has lost the permission since the checks above.
    if (error instanceof AccessRevoked) return false;
    throw error;
  }
}
