import type { Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { nextIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ownerOf, reachOf } from '#domain/namespaces/scope.ts';
import { findMilestoneTitled, insertMilestone } from './store.ts';

/**
 * What stands for these milestones in a project that cannot have them: its own, or of the groups above, of the same title, which
 * it is given where there is none. By the ids of these. Nobody hears of it.
 */
export async function milestonesLike(
  tx: Transaction,
  project: Pick<Project, 'id' | 'namespace_id'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const like = new Map<number, number>();
  if (ids.length === 0) return like;
  // index: milestones primary key
  const wanted = await tx
    .selectFrom('milestones')
    .select(['id', 'title', 'description', 'start_date', 'due_date', 'state', 'created_at', 'updated_at'])
    .where((eb) => isAmong(tx, eb.ref('id'), ids))
    .orderBy('id')
    .execute();
  const reach = await reachOf(tx, { project });
  for (const { id, state, created_at, updated_at, ...content } of wanted) {
    const there =
      (await findMilestoneTitled(tx, reach, content.title)) ??
      (await insertMilestone(
        tx,
        ownerOf({ project }),
        await nextIid(tx, { projectId: project.id }, 'milestone'),
        content,
        { state, created_at, updated_at },
      ));
    like.set(id, there.id);
  }
  return like;
}
