import type { Selectable } from 'kysely';
import { deleteTargetActivity } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { reassignReferences } from '#database/batch-statements.ts';
import type { Reader, Schema } from '#database/database.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { defineJob } from '#jobs/job.ts';
import { deleteMilestoneRow } from './store.ts';

// Merges milestones of the same title in a group's direct projects into the group's milestone (contract/planning.md §3.5).

type MergeTarget = Pick<Selectable<Schema['milestones']>, 'id' | 'title'> & { readonly group_id: number };

/** Continues a promotion that was too large for one transaction. */
export const mergeMilestones = defineJob({
  kind: 'merge_milestones',
  async handle(
    { runUnitOfWork }: { readonly runUnitOfWork: RunUnitOfWork },
    { milestoneId }: { readonly milestoneId: number },
  ) {
    await runInBatches(runUnitOfWork, ANONYMOUS, {
      recheck: recheckNothing,
      async runBatch(uow) {
        const target = await uow
          .selectFrom('milestones')
          .select(['id', 'title', 'group_id'])
          .where('id', '=', milestoneId)
          .executeTakeFirst();
        return target?.group_id == null
          ? undefined
          : mergeMilestoneBatch(uow, { ...target, group_id: target.group_id });
      },
    });
  },
});

/** The tables that refer to milestones. index: issues_by_milestone, merge_requests_by_milestone, resource_milestone_events_by_milestone */
const REFERENCING_TABLES = ['issues', 'merge_requests', 'resource_milestone_events'] as const;

/**
 * Merges one batch of rows: moves all references of each duplicate to the target, then deletes the duplicate without recording
 * activity. Returns `MORE` if rows may remain.
 */
export async function mergeMilestoneBatch(uow: UnitOfWork, target: MergeTarget): Promise<typeof MORE | undefined> {
  let remainingRows = BATCH_SIZE;
  for (;;) {
    const duplicateId = await findDuplicateMilestone(uow, target);
    if (duplicateId === null) return undefined;
    for (const table of REFERENCING_TABLES) {
      remainingRows -= await reassignReferences(
        uow,
        { table, column: 'milestone_id' },
        { from: duplicateId, to: target.id, limit: remainingRows },
      );
      if (remainingRows <= 0) return MORE;
    }
    await deleteTargetActivity(uow, 'Milestone', [duplicateId]);
    await deleteMilestoneRow(uow, duplicateId);
    if (--remainingRows <= 0) return MORE;
  }
}

/** Returns the id of a milestone of the same title in a direct project of the group, or null. index: milestones_by_project_title, projects_by_namespace */
async function findDuplicateMilestone(db: Reader, { title, group_id }: MergeTarget): Promise<number | null> {
  const projects = db.selectFrom('projects').select('projects.id').where('namespace_id', '=', group_id);
  const duplicate = await db
    .selectFrom('milestones')
    .select('id')
    .where('title', '=', title)
    .where('project_id', 'in', projects)
    .limit(1)
    .executeTakeFirst();
  return duplicate?.id ?? null;
}
