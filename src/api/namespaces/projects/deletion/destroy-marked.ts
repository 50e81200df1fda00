import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { inPieces, type MORE, nothingToAsk } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { daysAfter } from '#runtime/clock.ts';
import { readSettings } from '#settings/settings.ts';
import { destroyPieceOfProject } from './destroy.ts';

const BATCH = 100;

/** Destroys the projects whose deletion was scheduled `deletion_adjourned_period` days ago or earlier. */
export const destroyMarkedJob = defineJob({
  kind: 'destroy_marked_projects',
  async handle({ database, runUnitOfWork }: Services) {
    const { reader } = database;
    const { deletion_adjourned_period: days } = await readSettings(reader);
    const lastDay = daysAfter(reader.today, -days);
    for (;;) {
      const due = await dueProjects(reader, lastDay);
      for (const id of due) {
        await inPieces(runUnitOfWork, ANONYMOUS, {
          ask: nothingToAsk,
          piece: (uow) => destroyMarked(uow, id, lastDay),
        });
      }
      if (due.length < BATCH) return;
    }
  },
});

export const destroyMarkedDaily: Schedule<Services> = {
  name: 'destroy_marked_projects',
  cron: '15 1 * * *',
  job: destroyMarkedJob,
};

/** Destroys a project, or a piece of it, that was marked on `lastDay` or before, unless it has been restored meanwhile, or is moving to another storage. */
export async function destroyMarked(uow: UnitOfWork, id: number, lastDay: string): Promise<typeof MORE | undefined> {
  // index: projects primary key, repositories primary key
  const marked = await uow
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select('projects.id')
    .where('projects.id', '=', id)
    .where('marked_for_deletion_on', '<=', lastDay)
    .where('repositories.move_id', 'is', null)
    .executeTakeFirst();
  return marked && destroyPieceOfProject(uow, id);
}

// index: projects_by_deletion, repositories primary key
async function dueProjects(db: Reader, lastDay: string): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select('projects.id')
    // What is moving goes another day.
    .where('repositories.move_id', 'is', null)
    .where('marked_for_deletion_on', '<=', lastDay)
    .orderBy('marked_for_deletion_on')
    .limit(BATCH)
    .execute();
  return rows.map(({ id }) => id);
}
