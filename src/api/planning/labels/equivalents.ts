import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { ownerOf, reachOf, type Somewhere } from '#domain/namespaces/scope.ts';
import { insertLabels, labelsTitled, setPriority } from './store.ts';

/**
 * What stands for these labels in a project or group that cannot have them: its own, or of the groups above, of the same title,
 * which it is given where there is none. By the ids of these.
 */
export async function labelsLike(
  tx: Transaction,
  place: Somewhere,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  // index: labels primary key
  const wanted = await tx
    .selectFrom('labels')
    .select(['id', 'title', 'color', 'description'])
    .where((eb) => isAmong(tx, eb.ref('id'), ids))
    .execute();
  const titles = wanted.map(({ title }) => title);
  const reach = await reachOf(tx, place);
  const known = new Set((await labelsTitled(tx, reach, titles)).map(({ title }) => title));
  const unknown = new Map(wanted.filter(({ title }) => !known.has(title)).map((label) => [label.title, label]));
  await insertLabels(tx, ownerOf(place), [...unknown.values()]);
  const there = new Map((await labelsTitled(tx, reach, titles)).map(({ id, title }) => [title, id]));
  const like = new Map(wanted.map(({ id, title }) => [id, there.get(title)!]));
  if (place.project) await prefer(tx, place.project.id, like);
  return like;
}

/** What the project prefers of the ones it prefers of the others. */
async function prefer(tx: Transaction, projectId: number, like: ReadonlyMap<number, number>): Promise<void> {
  for (const { label_id, priority } of await prioritiesOf(tx, projectId, [...like.keys()])) {
    await setPriority(tx, projectId, like.get(label_id)!, priority);
  }
}

/** index: label_priorities_pkey */
function prioritiesOf(db: Reader, projectId: number, ids: readonly number[]) {
  return db
    .selectFrom('label_priorities')
    .select(['label_id', 'priority'])
    .where('project_id', '=', projectId)
    .where((eb) => isAmong(db, eb.ref('label_id'), ids))
    .execute();
}
