import { sql } from 'kysely';
import { type Epic, readableEpic } from '#authorization/epics.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** Epics below epics (contract/planning.md §3.9): a tree, and not a deep one. */

const DEEPEST = 7;

const TEXTS = {
  itself: 'An epic cannot be added to itself.',
  circle: 'It is already an ancestor of the parent epic.',
  deep: `One or more epics would exceed the maximum depth (${DEEPEST}) from its most distant ancestor.`,
};

/** The epic of this id, which another one shall be put below, if the caller may read it. */
export async function wishedParent(uow: UnitOfWork, id: number): Promise<Epic | Failure<'noParent'>> {
  const found = await readableEpic(uow, uow.actor, id);
  return found ? found.epic : fail('noParent');
}

/** What is wrong with this parent of an epic; `id` is null for one that is not there yet. */
export async function parentErrors(db: Reader, id: number | null, parentId: number): Promise<string[]> {
  const wrong = (why: keyof typeof TEXTS) => [`This epic cannot be added. ${TEXTS[why]}`];
  if (id === parentId) return wrong('itself');
  const above = await itselfAndAbove(db, parentId);
  if (id !== null && above.includes(id)) return wrong('circle');
  const height = id === null ? 1 : await heightOf(db, id);
  return above.length + height > DEEPEST ? wrong('deep') : [];
}

/** index: epics primary key */
async function itselfAndAbove(db: Reader, id: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`with recursive above (id, parent_id) as (
      select epics.id, epics.parent_id from epics where epics.id = ${id}
      union select epics.id, epics.parent_id from epics inner join above on epics.id = above.parent_id
    ) select id from above`.execute(db);
  return rows.map((row) => row.id);
}

/** How many levels an epic and those below it have. index: epics_by_parent */
async function heightOf(db: Reader, id: number): Promise<number> {
  const { rows } = await sql<{ height: number }>`with recursive below (id, level) as (
      select epics.id, 1 from epics where epics.id = ${id}
      union all select epics.id, below.level + 1 from epics inner join below on epics.parent_id = below.id
      where below.level < ${sql.lit(DEEPEST)}
    ) select max(level) as height from below`.execute(db);
  return rows[0]?.height ?? 1;
}

/** Is there one below it that everybody sees? index: epics_by_parent */
export async function hasOpenChildren(db: Reader, id: number): Promise<boolean> {
  const found = await db
    .selectFrom('epics')
    .select('id')
    .where('parent_id', '=', id)
    .where('confidential', '=', false)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
