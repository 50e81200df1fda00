import { sql } from 'kysely';
import { type Epic, findReadableEpic } from '#authorization/epics.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** Maximum number of levels in a tree of epics (contract/planning.md §3.9). */
const MAX_DEPTH = 7;

const PARENT_ERRORS = {
  isItself: 'An epic cannot be added to itself.',
  isAncestor: 'It is already an ancestor of the parent epic.',
  tooDeep: `One or more epics would exceed the maximum depth (${MAX_DEPTH}) from its most distant ancestor.`,
};

/** Returns the epic that is requested as a parent. Fails if the caller may not read it. */
export async function findParent(uow: UnitOfWork, id: number): Promise<Epic | Failure<'parentNotFound'>> {
  const epicInGroup = await findReadableEpic(uow, uow.actor, id);
  return epicInGroup ? epicInGroup.epic : fail('parentNotFound');
}

/** Returns the validation errors of a parent; `id` is null for a new epic. */
export async function validateParent(db: Reader, id: number | null, parentId: number): Promise<string[]> {
  const createParentErrors = (code: keyof typeof PARENT_ERRORS) => [
    `This epic cannot be added. ${PARENT_ERRORS[code]}`,
  ];
  if (id === parentId) return createParentErrors('isItself');
  const ancestorIds = await listSelfAndAncestorIds(db, parentId);
  if (id !== null && ancestorIds.includes(id)) return createParentErrors('isAncestor');
  const height = id === null ? 1 : await findHeight(db, id);
  return ancestorIds.length + height > MAX_DEPTH ? createParentErrors('tooDeep') : [];
}

/** Returns the ids of an epic and its ancestors. index: epics primary key */
async function listSelfAndAncestorIds(db: Reader, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`with recursive ancestors (id, parent_id) as (
      select epics.id, epics.parent_id from epics where epics.id = ${id}
      union select epics.id, epics.parent_id from epics inner join ancestors on epics.id = ancestors.parent_id
    ) select id from ancestors`.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the number of levels of an epic and its descendants. index: epics_by_parent */
async function findHeight(db: Reader, id: number): Promise<number> {
  const { rows } = await sql<{ height: number }>`with recursive descendants (id, level) as (
      select epics.id, 1 from epics where epics.id = ${id}
      union all select epics.id, descendants.level + 1 from epics inner join descendants on epics.parent_id = descendants.id
      where descendants.level < ${sql.lit(MAX_DEPTH)}
    ) select max(level) as height from descendants`.execute(db);
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
