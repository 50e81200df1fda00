import { type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';

/** A manually ordered list: the issues of a project or of an epic. */
export interface OrderedList {
  readonly table: 'issues' | 'epic_issues';
  /** Foreign key to the owner of the list. */
  readonly parentColumn: 'project_id' | 'epic_id';
  readonly parentId: number;
}

/** Ids of the items after or before which an item is moved. */
export interface ReorderInput {
  readonly move_before_id?: number | null | undefined;
  readonly move_after_id?: number | null | undefined;
}

/** How many following items may be shifted to make room. The next number is tried if there is no gap among fewer items. */
const FOLLOWER_COUNTS = [1, 16, 256, 2_048];

/**
 * Moves an item after the item `move_before_id`, else before the item `move_after_id` (contract/planning.md §2.1).
 * Returns false if that item is not in the list or is the moved item.
 */
export async function reorderInList(
  tx: Transaction,
  list: OrderedList,
  itemId: number,
  { move_before_id: previousId, move_after_id: nextId }: ReorderInput,
): Promise<boolean> {
  for (;;) {
    // Without either id, 0 finds no item.
    const neighbor = await findPosition(tx, list, previousId ?? nextId ?? 0);
    if (neighbor === null || neighbor.id === itemId) return false;
    const previous = previousId != null ? neighbor : await findPrevious(tx, list, itemId, neighbor);
    const newPositions = await findPositions(tx, list, itemId, previous);
    for (const itemPosition of newPositions ?? []) await updatePosition(tx, list, itemPosition);
    if (newPositions !== null) return true;
    // The gaps let the next iteration succeed.
    await rebalance(tx, list);
  }
}

/** Returns the new positions of the item and of shifted items, or null if no gap exists among the following items. */
async function findPositions(
  db: Reader,
  list: OrderedList,
  id: number,
  previous: ItemPosition | null,
): Promise<readonly ItemPosition[] | null> {
  for (const followerCount of FOLLOWER_COUNTS) {
    const followers = await listFollowing(db, list, id, previous, followerCount);
    const newPositions = computePositions(id, previous, followers, followers.length < followerCount);
    if (newPositions !== null) return newPositions;
  }
  return null;
}

/** Spreads the positions of the whole list evenly, in one statement. index: issues_by_position, epic_issues_by_epic */
async function rebalance(tx: Transaction, { table, parentColumn, parentId: id }: OrderedList): Promise<void> {
  const [itemTable, ownerColumn] = [sql.table(table), sql.ref(parentColumn)];
  await sql`update ${itemTable} set relative_position = spread.ordinal * ${sql.lit(POSITION_GAP)}
    from (select id, row_number() over (order by relative_position, id) as ordinal from ${itemTable} where ${ownerColumn} = ${id}) as spread
    where ${itemTable}.id = spread.id`.execute(tx);
}

/** Returns the lowest position, or null if the list is empty. index: issues_by_position, epic_issues_by_epic */
export async function findFirstPosition(db: Reader, list: OrderedList): Promise<number | null> {
  return (await findEdge(db, list, 'asc'))?.position ?? null;
}

/** Returns the highest position, or null if the list is empty. index: issues_by_position, epic_issues_by_epic */
export async function findLastPosition(db: Reader, list: OrderedList): Promise<number | null> {
  return (await findEdge(db, list, 'desc'))?.position ?? null;
}

function findEdge(db: Reader, list: OrderedList, direction: 'asc' | 'desc'): Promise<ItemPosition | undefined> {
  return selectPositions(db, list).orderBy('relative_position', direction).limit(1).executeTakeFirst();
}

/** Selects the items of a list with their positions. index: issues_by_position, epic_issues_by_epic */
function selectPositions(db: Reader, { table, parentColumn, parentId: id }: OrderedList) {
  return db
    .selectFrom(table as 'issues')
    .select([`${table as 'issues'}.id`, 'relative_position as position'])
    .where(sql.ref(parentColumn), '=', id);
}

async function findPosition(db: Reader, list: OrderedList, id: number): Promise<ItemPosition | null> {
  return (await selectPositions(db, list).where('id', '=', id).executeTakeFirst()) ?? null;
}

const POSITION_AND_ID = sql`(relative_position, id)`;

/** Returns the item before the neighbor, without the moved item; null if the neighbor is first. */
async function findPrevious(
  db: Reader,
  list: OrderedList,
  id: number,
  neighbor: ItemPosition,
): Promise<ItemPosition | null> {
  const previous = await selectPositions(db, list)
    .where('id', '<>', id)
    .where(sql<SqlBool>`${POSITION_AND_ID} < (${neighbor.position}, ${neighbor.id})`)
    .orderBy('relative_position', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return previous ?? null;
}

/** Returns up to `limit` items that follow `previous` (null: the first items), without the moved item. */
function listFollowing(
  db: Reader,
  list: OrderedList,
  id: number,
  previous: ItemPosition | null,
  limit: number,
): Promise<ItemPosition[]> {
  let followers = selectPositions(db, list).where('id', '<>', id);
  if (previous !== null)
    followers = followers.where(sql<SqlBool>`${POSITION_AND_ID} > (${previous.position}, ${previous.id})`);
  return followers.orderBy('relative_position').orderBy('id').limit(limit).execute();
}

async function updatePosition(tx: Transaction, { table }: OrderedList, { id, position }: ItemPosition): Promise<void> {
  await tx
    .updateTable(table as 'issues')
    .set({ relative_position: position })
    .where('id', '=', id)
    .execute();
}

/** Initial gap between the positions of two neighbors. Gaps let an item be inserted without changing other positions. */
export const POSITION_GAP = 2 ** 20;

/** The position of an item; equal positions are sorted by id. */
export interface ItemPosition {
  readonly id: number;
  readonly position: number;
}

/**
 * Returns positions for an item and for the following items that must be shifted. The item is placed after `previous` (null: first).
 * `followers` are the next items in order; `isComplete` tells that no others follow. Returns null if there is no gap among them.
 */
export function computePositions(
  id: number,
  previous: ItemPosition | null,
  followers: readonly ItemPosition[],
  isComplete: boolean,
): readonly ItemPosition[] | null {
  const first = followers[0];
  if (first === undefined) return [{ id, position: (previous?.position ?? 0) + POSITION_GAP }];
  if (previous === null) return [{ id, position: first.position - POSITION_GAP }];
  for (const [shiftedCount, { position: nextPosition }] of followers.entries()) {
    const step = Math.floor((nextPosition - previous.position) / (shiftedCount + 2));
    // Shifted followers must leave gaps (step > 1); else the next insertion would shift them again.
    if (step >= 1 && (shiftedCount === 0 || step > 1))
      return spreadAfter(id, previous, followers.slice(0, shiftedCount), step);
  }
  return isComplete ? spreadAfter(id, previous, followers, POSITION_GAP) : null;
}

/** Returns positions after `previous` for the item and the followers, `step` apart. */
function spreadAfter(
  id: number,
  previous: ItemPosition,
  followers: readonly ItemPosition[],
  step: number,
): ItemPosition[] {
  return [id, ...followers.map((item) => item.id)].map((itemId, index) => ({
    id: itemId,
    position: previous.position + step * (index + 1),
  }));
}
