import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { ancestorsAndSelf, type GroupOrProjectRef, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import { findLabelsByTitles, insertLabels, setLabelPriority } from './store.ts';

/**
 * Maps labels to labels of the same title in this project or group or its ancestors. Creates missing ones in it.
 * Returns new ids by old id.
 */
export async function mapLabelsToParent(
  tx: Transaction,
  parent: GroupOrProjectRef,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  // index: labels primary key
  const oldLabels = await tx
    .selectFrom('labels')
    .select(['id', 'title', 'color', 'description'])
    .where((eb) => isInIds(tx, eb.ref('id'), ids))
    .execute();
  const titles = oldLabels.map(({ title }) => title);
  const scope = await ancestorsAndSelf(tx, parent);
  const existingTitles = new Set((await findLabelsByTitles(tx, scope, titles)).map(({ title }) => title));
  const missingLabels = new Map(
    oldLabels.filter(({ title }) => !existingTitles.has(title)).map((label) => [label.title, label]),
  );
  await insertLabels(tx, toNamespaceOwnerColumns(parent), [...missingLabels.values()]);
  const idsByTitle = new Map((await findLabelsByTitles(tx, scope, titles)).map(({ id, title }) => [title, id]));
  const newIdsByOldId = new Map(oldLabels.map(({ id, title }) => [id, idsByTitle.get(title)!]));
  if (parent.project) await copyPriorities(tx, parent.project.id, newIdsByOldId);
  return newIdsByOldId;
}

/** Gives the new labels the priorities that the project has set for the old ones. */
async function copyPriorities(
  tx: Transaction,
  projectId: number,
  newIdsByOldId: ReadonlyMap<number, number>,
): Promise<void> {
  for (const { label_id, priority } of await listPriorities(tx, projectId, [...newIdsByOldId.keys()])) {
    await setLabelPriority(tx, projectId, newIdsByOldId.get(label_id)!, priority);
  }
}

/** index: label_priorities_pkey */
function listPriorities(db: Reader, projectId: number, ids: readonly number[]) {
  return db
    .selectFrom('label_priorities')
    .select(['label_id', 'priority'])
    .where('project_id', '=', projectId)
    .where((eb) => isInIds(db, eb.ref('label_id'), ids))
    .execute();
}
