import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { ANONYMOUS, isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { stateBar } from '#authentication/sign-in-blocks.ts';
import { callerOf } from '#authentication/users/users.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { canSeeProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { timestamp } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { createOfRef } from '../pipelines/index.ts';
import { nextRunAfter } from './cron.ts';
import { deactivate, dueSchedules, moveOn, readSchedule, type ScheduleRow } from './store.ts';
import { openVariables } from './variables.ts';

/**
 * Schedules that are due make pipelines (contract/runners.md §4.7). Every minute each that is due is moved on by one
 * compare-and-set, in the act that adds its run to the queue: whoever loses it adds none, and of all moments that nobody was
 * there to see there is one run. A run knows the moment that it is for, and makes one pipeline of it however often it is begun.
 */

const BATCH = 50;

export const startDueSchedules = defineJob({
  kind: 'start-due-pipeline-schedules',
  async handle({ database, clock, runUnitOfWork }: Services, _payload: Record<string, never>, { signal }) {
    for (;;) {
      const now = timestamp(clock);
      const due = await dueSchedules(database.reader, now, BATCH).execute();
      for (const schedule of due) {
        const next = nextRunAfter(schedule.cron, schedule.cron_timezone, now);
        await runUnitOfWork(ANONYMOUS, async (uow) => {
          // A zone may have gone from the engine's tables since it was chosen: nobody waits for such a schedule.
          if (next === null) return deactivate(uow, schedule);
          const run = { scheduleId: schedule.id, dueAt: schedule.next_run_at };
          if (await moveOn(uow, schedule, next)) await enqueue(uow, runSchedule, run);
        });
        await turnOfOthers();
      }
      if (due.length < BATCH || signal.aborted) return;
    }
  },
});

export const startDueSchedulesEachMinute: Schedule<Services> = {
  name: 'start-due-pipeline-schedules',
  cron: '* * * * *',
  job: startDueSchedules,
};

export const runSchedule = defineJob({
  kind: 'run-pipeline-schedule',
  async handle(services: Services, { scheduleId, dueAt }: { readonly scheduleId: number; readonly dueAt: string }) {
    const { database, runUnitOfWork } = services;
    const db = database.reader;
    const schedule = await readSchedule(db, scheduleId);
    if (!schedule?.active) return;
    const owner = await callerOf(db, schedule.owner_id, null);
    const project = await findProject(db, owner, String(schedule.project_id));
    if (project === null || project.archived || project.builds_access_level === 'disabled') return;
    const isAbout = isSignedIn(owner) && stateBar(owner.user) === null && canSeeProject(owner, project);
    const runs =
      isAbout && (await make(services, owner, { project, schedule, origin: `schedule ${scheduleId} ${dueAt}` }));
    if (!runs) await runUnitOfWork(ANONYMOUS, (uow) => deactivate(uow, schedule));
  },
});

export const playSchedule = defineJob({
  kind: 'play-pipeline-schedule',
  async handle(
    services: Services,
    { scheduleId, userId }: { readonly scheduleId: number; readonly userId: number },
    { id },
  ) {
    const db = services.database.reader;
    const schedule = await readSchedule(db, scheduleId);
    const caller = await callerOf(db, userId, null);
    const project = schedule && (await findProject(db, caller, String(schedule.project_id)));
    if (schedule === null || project === null || !isSignedIn(caller) || !canSeeProject(caller, project)) return;
    await make(services, caller, { project, schedule, origin: `played schedule ${scheduleId} ${id}` });
  },
});

interface Run {
  readonly project: Project;
  readonly schedule: ScheduleRow;
  readonly origin: string;
}

/** Makes the pipeline, if there is anything to run; false: he may not start any of its ref. */
async function make(services: Services, by: SignedInCaller, { project, schedule, origin }: Run): Promise<boolean> {
  try {
    const made = await createOfRef(services, by, project, {
      ref: schedule.ref,
      source: 'schedule',
      brought: await openVariables(services, schedule.id),
      starter: { schedule_id: schedule.id, schedule_description: schedule.description },
      origin,
      keepsBroken: true,
      baseUrl: services.ownUrl(),
    });
    return !isFailure(made) || !['notPermitted', 'notAllowed'].includes(made.code);
  } catch (error) {
    // Since he was asked.
    if (error instanceof AccessRevoked) return false;
    throw error;
  }
}
