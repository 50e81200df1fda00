import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { ancestorsAndSelf, type GroupOrProjectRef, ownerColumns } from '#domain/namespaces/scope.ts';
import { findLabelsByTitles, insertLabels, setLabelPriority } from './store.ts';

/**
 * Maps labels to labels of the same title that this project or group can use: its own or inherited ones. Creates missing ones.
 * Returns old id -> new id.
 */
export async function mapLabelsToParent(
  tx: Transaction,
  parent: GroupOrProjectRef,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  // index: labels primary key
  const labelsToMove = await tx
    .selectFrom('labels')
    .select(['id', 'title', 'color', 'description'])
    .where((eb) => isInIds(tx, eb.ref('id'), ids))
    .execute();
  const titles = labelsToMove.map(({ title }) => title);
  const scope = await ancestorsAndSelf(tx, parent);
  const knownTitles = new Set((await findLabelsByTitles(tx, scope, titles)).map(({ title }) => title));
  const missingLabels = new Map(
    labelsToMove.filter(({ title }) => !knownTitles.has(title)).map((label) => [label.title, label]),
  );
  await insertLabels(tx, ownerColumns(parent), [...missingLabels.values()]);
  const idByTitle = new Map((await findLabelsByTitles(tx, scope, titles)).map(({ id, title }) => [title, id]));
  const newIds = new Map(labelsToMove.map(({ id, title }) => [id, idByTitle.get(title)!]));
  if (parent.project) await copyPriorities(tx, parent.project.id, newIds);
  return newIds;
}

/** Gives the new labels the priorities that the project has set for the old ones. */
async function copyPriorities(tx: Transaction, projectId: number, newIds: ReadonlyMap<number, number>): Promise<void> {
  for (const { label_id, priority } of await listPriorities(tx, projectId, [...newIds.keys()])) {
    await setLabelPriority(tx, projectId, newIds.get(label_id)!, priority);
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
