import type { Selectable } from 'kysely';
import { forgetTargetActivity } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { referElsewhere } from '#database/batch-statements.ts';
import type { Reader, Schema } from '#database/database.ts';
import { inPieces, MORE, nothingToAsk, PIECE } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { defineJob } from '#jobs/job.ts';
import { deleteMilestoneRow } from './store.ts';

/** What else there is of milestones of one title in a group's own projects becomes the group's milestone (contract/planning.md §3.5). */

type Target = Pick<Selectable<Schema['milestones']>, 'id' | 'title'> & { readonly group_id: number };

/** Goes on where the act that promoted a milestone has left so much that it would hold up everybody. */
export const mergeMilestones = defineJob({
  kind: 'merge_milestones',
  async handle(
    { runUnitOfWork }: { readonly runUnitOfWork: RunUnitOfWork },
    { milestoneId }: { readonly milestoneId: number },
  ) {
    await inPieces(runUnitOfWork, ANONYMOUS, {
      ask: nothingToAsk,
      async piece(uow) {
        const target = await uow
          .selectFrom('milestones')
          .select(['id', 'title', 'group_id'])
          .where('id', '=', milestoneId)
          .executeTakeFirst();
        return target?.group_id == null ? undefined : mergeSome(uow, { ...target, group_id: target.group_id });
      },
    });
  },
});

/** What names milestones. index: issues_by_milestone, merge_requests_by_milestone, resource_milestone_events_by_milestone */
const NAMING = ['issues', 'merge_requests', 'resource_milestone_events'] as const;

/** A piece of it: of one milestone after the other all that has it goes over, and then it goes itself, untold. */
export async function mergeSome(uow: UnitOfWork, target: Target): Promise<typeof MORE | undefined> {
  let room = PIECE;
  for (;;) {
    const from = await anotherBelow(uow, target);
    if (from === null) return undefined;
    for (const table of NAMING) {
      room -= await referElsewhere(uow, { table, column: 'milestone_id' }, { from, to: target.id, most: room });
      if (room <= 0) return MORE;
    }
    await forgetTargetActivity(uow, 'Milestone', [from]);
    await deleteMilestoneRow(uow, from);
    if (--room <= 0) return MORE;
  }
}

/** index: milestones_by_project_title, projects_by_namespace */
async function anotherBelow(db: Reader, { title, group_id }: Target): Promise<number | null> {
  const projects = db.selectFrom('projects').select('projects.id').where('namespace_id', '=', group_id);
  const found = await db
    .selectFrom('milestones')
    .select('id')
    .where('title', '=', title)
    .where('project_id', 'in', projects)
    .limit(1)
    .executeTakeFirst();
  return found?.id ?? null;
}
