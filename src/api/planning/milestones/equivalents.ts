import type { Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { allocateIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import { findMilestoneByTitle, insertMilestone } from './store.ts';

/**
 * Maps milestones to milestones of the same title that this project can use: its own or inherited ones. Creates missing ones
 * without recording activity. Returns old id -> new id.
 */
export async function mapMilestonesToProject(
  tx: Transaction,
  project: Pick<Project, 'id' | 'namespace_id'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const newIdsByOldId = new Map<number, number>();
  if (ids.length === 0) return newIdsByOldId;
  // index: milestones primary key
  const originalMilestones = await tx
    .selectFrom('milestones')
    .select(['id', 'title', 'description', 'start_date', 'due_date', 'state', 'created_at', 'updated_at'])
    .where((eb) => isInIds(tx, eb.ref('id'), ids))
    .orderBy('id')
    .execute();
  const scope = await ancestorsAndSelf(tx, { project });
  for (const { id, state, created_at, updated_at, ...content } of originalMilestones) {
    const equivalent =
      (await findMilestoneByTitle(tx, scope, content.title)) ??
      (await insertMilestone(
        tx,
        toNamespaceOwnerColumns({ project }),
        await allocateIid(tx, { projectId: project.id }, 'milestone'),
        content,
        { state, created_at, updated_at },
      ));
    newIdsByOldId.set(id, equivalent.id);
  }
  return newIdsByOldId;
}
