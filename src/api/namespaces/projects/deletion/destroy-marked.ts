import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { type MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addDays } from '#runtime/clock.ts';
import { loadSettings } from '#settings/settings.ts';
import { destroyProjectBatch } from './destroy.ts';

const BATCH_SIZE = 100;

/** Destroys the projects whose deletion was scheduled at least `deletion_adjourned_period` days ago. */
export const destroyMarkedProjects = defineJob({
  kind: 'destroy_marked_projects',
  async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>) {
    const { reader } = database;
    const { deletion_adjourned_period: days } = await loadSettings(reader);
    const cutoffDate = addDays(reader.today, -days);
    for (;;) {
      const dueProjectIds = await findDueProjectIds(reader, cutoffDate);
      for (const id of dueProjectIds) {
        await runInBatches(runUnitOfWork, ANONYMOUS, {
          recheck: recheckNothing,
          runBatch: (uow) => destroyMarkedProjectBatch(uow, id, cutoffDate),
        });
      }
      if (dueProjectIds.length < BATCH_SIZE) return;
    }
  },
});

export const destroyMarkedProjectsDaily: Schedule<Services> = {
  name: 'destroy_marked_projects',
  cron: '15 1 * * *',
  job: destroyMarkedProjects,
};

/**
 * Destroys a batch of a project that was marked on `cutoffDate` or before, unless it was restored meanwhile or its
 * repository is being moved.
 */
export async function destroyMarkedProjectBatch(
  uow: UnitOfWork,
  id: number,
  cutoffDate: string,
): Promise<typeof MORE | undefined> {
  // index: projects primary key, repositories primary key
  const markedProject = await uow
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select('projects.id')
    .where('projects.id', '=', id)
    .where('marked_for_deletion_on', '<=', cutoffDate)
    .where('repositories.move_id', 'is', null)
    .executeTakeFirst();
  return markedProject && destroyProjectBatch(uow, id);
}

// index: projects_by_deletion, repositories primary key
async function findDueProjectIds(db: Reader, cutoffDate: string): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select('projects.id')
    // Projects whose repository is being moved are destroyed later.
    .where('repositories.move_id', 'is', null)
    .where('marked_for_deletion_on', '<=', cutoffDate)
    .orderBy('marked_for_deletion_on')
    .limit(BATCH_SIZE)
    .execute();
  return rows.map(({ id }) => id);
}
