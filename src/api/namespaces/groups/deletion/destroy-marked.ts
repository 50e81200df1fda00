import { RepositoryMoveInProgress } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addDays } from '#runtime/clock.ts';
import { loadSettings } from '#settings/settings.ts';
import { destroyGroupInBatches, type GroupToDestroy } from './destroy.ts';

const BATCH_SIZE = 100;

/** Destroys the groups whose deletion was scheduled at least `deletion_adjourned_period` days ago. */
export const destroyMarkedGroups = defineJob({
  kind: 'destroy_marked_groups',
  async handle(services: Pick<Services, 'database' | 'runUnitOfWork'>) {
    const { reader } = services.database;
    const { deletion_adjourned_period: days } = await loadSettings(reader);
    const cutoffDate = addDays(reader.today, -days);
    for (;;) {
      const dueGroups = await findDueGroups(reader, cutoffDate);
      let destroyedCount = 0;
      for (const group of dueGroups) {
        await services.runUnitOfWork(ANONYMOUS, (uow) => preventRestore(uow, group.id, cutoffDate));
        if (await destroyUnlessMoving(services, group, cutoffDate)) destroyedCount++;
      }
      // Without progress, the next batch would contain the same groups, which wait for storage moves.
      if (dueGroups.length < BATCH_SIZE || destroyedCount === 0) return;
    }
  },
});

/** Destroys the group. Returns false if one of its repositories is being moved; the job tries again later. */
async function destroyUnlessMoving(
  services: Pick<Services, 'database' | 'runUnitOfWork'>,
  group: GroupToDestroy,
  cutoffDate: string,
): Promise<boolean> {
  try {
    await destroyGroupInBatches(services, ANONYMOUS, group, (db) => isStillDue(db, group.id, cutoffDate));
    return true;
  } catch (error) {
    if (error instanceof RepositoryMoveInProgress) return false;
    throw error;
  }
}

export const destroyMarkedGroupsDaily: Schedule<Services> = {
  name: 'destroy_marked_groups',
  cron: '30 1 * * *',
  job: destroyMarkedGroups,
};

/** index: namespaces_by_deletion, routes_by_namespace */
async function findDueGroups(db: Reader, cutoffDate: string): Promise<GroupToDestroy[]> {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.full_path'])
    .where('namespaces.marked_for_deletion_on', '<=', cutoffDate)
    .orderBy('namespaces.marked_for_deletion_on')
    .orderBy('namespaces.id')
    .limit(BATCH_SIZE)
    .execute();
}

/** Prevents a restore by deleting the former names, so that a partly destroyed group is always destroyed completely. */
async function preventRestore(uow: UnitOfWork, id: number, cutoffDate: string): Promise<void> {
  await uow
    .updateTable('namespaces')
    .set({ name_before_deletion: null, path_before_deletion: null })
    .where('id', '=', id)
    .where('marked_for_deletion_on', '<=', cutoffDate)
    .execute();
}

/** Returns whether the group exists and was not restored meanwhile. index: namespaces primary key */
async function isStillDue(db: Reader, id: number, cutoffDate: string): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('marked_for_deletion_on')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.marked_for_deletion_on != null && row.marked_for_deletion_on <= cutoffDate;
}
