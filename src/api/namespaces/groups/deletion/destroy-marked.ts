import { IsMoving } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { daysAfter } from '#runtime/clock.ts';
import { readSettings } from '#settings/settings.ts';
import { type Doomed, destroyGroupBySteps } from './destroy.ts';

/** So many are read at once. */
const BATCH = 100;

/** Destroys the groups whose deletion was scheduled `deletion_adjourned_period` days ago or earlier. */
export const destroyMarkedGroups = defineJob({
  kind: 'destroy_marked_groups',
  async handle(services: Services) {
    const { reader } = services.database;
    const { deletion_adjourned_period: days } = await readSettings(reader);
    const lastDay = daysAfter(reader.today, -days);
    for (;;) {
      const due = await dueGroups(reader, lastDay);
      let gone = 0;
      for (const group of due) {
        await services.runUnitOfWork(ANONYMOUS, (uow) => makeFinal(uow, group.id, lastDay));
        if (await destroyUnlessMoving(services, group, lastDay)) gone++;
      }
      if (due.length < BATCH || gone === 0) return;
    }
  },
});

/** False: the repository of a project in it is on its way to another storage, and it is tried again another day. */
async function destroyUnlessMoving(services: Services, group: Doomed, lastDay: string): Promise<boolean> {
  try {
    await destroyGroupBySteps(services, ANONYMOUS, group, (db) => isStillDue(db, group.id, lastDay));
    return true;
  } catch (error) {
    if (error instanceof IsMoving) return false;
    throw error;
  }
}

export const destroyMarkedGroupsDaily: Schedule<Services> = {
  name: 'destroy_marked_groups',
  cron: '30 1 * * *',
  job: destroyMarkedGroups,
};

/** index: namespaces_by_deletion, routes_by_namespace */
async function dueGroups(db: Reader, lastDay: string): Promise<Doomed[]> {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.full_path'])
    .where('namespaces.marked_for_deletion_on', '<=', lastDay)
    .orderBy('namespaces.marked_for_deletion_on')
    .orderBy('namespaces.id')
    .limit(BATCH)
    .execute();
}

/** Without its former names nobody restores it, so that what is left when something of it has gone goes too. */
async function makeFinal(uow: UnitOfWork, id: number, lastDay: string): Promise<void> {
  await uow
    .updateTable('namespaces')
    .set({ name_before_deletion: null, path_before_deletion: null })
    .where('id', '=', id)
    .where('marked_for_deletion_on', '<=', lastDay)
    .execute();
}

/** index: namespaces primary key */
async function isStillDue(db: Reader, id: number, lastDay: string): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('marked_for_deletion_on')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.marked_for_deletion_on != null && row.marked_for_deletion_on <= lastDay;
}
