import { sql } from 'kysely';
import { type Epic, findReadableEpic } from '#authorization/epics.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** Parents of epics: a tree with limited depth (contract/planning.md §3.9). */

const MAX_DEPTH = 7;

const ERRORS = {
  itself: 'An epic cannot be added to itself.',
  circle: 'It is already an ancestor of the parent epic.',
  deep: `One or more epics would exceed the maximum depth (${MAX_DEPTH}) from its most distant ancestor.`,
};

/** Returns the requested parent epic. Fails if the caller may not read it. */
export async function findParent(uow: UnitOfWork, id: number): Promise<Epic | Failure<'noParent'>> {
  const epicInGroup = await findReadableEpic(uow, uow.actor, id);
  return epicInGroup ? epicInGroup.epic : fail('noParent');
}

/** Returns the validation errors of a parent; `id` is null for a new epic. */
export async function validateParent(db: Reader, id: number | null, parentId: number): Promise<string[]> {
  const parentError = (code: keyof typeof ERRORS) => [`This epic cannot be added. ${ERRORS[code]}`];
  if (id === parentId) return parentError('itself');
  const parentIds = await listSelfAndAncestors(db, parentId);
  if (id !== null && parentIds.includes(id)) return parentError('circle');
  const height = id === null ? 1 : await findHeight(db, id);
  return parentIds.length + height > MAX_DEPTH ? parentError('deep') : [];
}

/** index: epics primary key */
async function listSelfAndAncestors(db: Reader, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`with recursive above (id, parent_id) as (
      select epics.id, epics.parent_id from epics where epics.id = ${id}
      union select epics.id, epics.parent_id from epics inner join above on epics.id = above.parent_id
    ) select id from above`.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the number of levels of an epic and its descendants. index: epics_by_parent */
async function findHeight(db: Reader, id: number): Promise<number> {
  const { rows } = await sql<{ height: number }>`with recursive below (id, level) as (
      select epics.id, 1 from epics where epics.id = ${id}
      union all select epics.id, below.level + 1 from epics inner join below on epics.parent_id = below.id
      where below.level < ${sql.lit(MAX_DEPTH)}
    ) select max(level) as height from below`.execute(db);
  return rows[0]?.height ?? 1;
}

/** Returns whether an epic has a child that is not confidential. index: epics_by_parent */
export async function hasPublicChildren(db: Reader, id: number): Promise<boolean> {
  const epicRow = await db
    .selectFrom('epics')
    .select('id')
    .where('parent_id', '=', id)
    .where('confidential', '=', false)
    .limit(1)
    .executeTakeFirst();
  return epicRow !== undefined;
}
