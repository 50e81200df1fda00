import { type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { GAP, type Placed, placesAfter } from './positions.ts';

/** Things in the order that people give them: the issues of a project, and those of an epic. */
export interface Line {
  readonly table: 'issues' | 'epic_issues';
  /** What the line belongs to: the column that names it, and its id. */
  readonly of: 'project_id' | 'epic_id';
  readonly id: number;
}

/** By the ids of things in the line: which one another shall be behind, or before. */
export interface Neighbours {
  readonly move_before_id?: number | null | undefined;
  readonly move_after_id?: number | null | undefined;
}

/** How many of those that follow are asked to make room: at first few, where these have none, more. */
const LOOKED_AT = [1, 16, 256, 2_048];

/**
 * Puts a thing of the line behind the one that `move_before_id` names, else before that of `move_after_id`
 * (contract/planning.md §2.1). False: that one is not in the line, or is the thing itself.
 */
export async function moveInLine(
  tx: Transaction,
  line: Line,
  id: number,
  { move_before_id: behind, move_after_id: ahead }: Neighbours,
): Promise<boolean> {
  for (;;) {
    const neighbour = await placeOf(tx, line, behind ?? ahead ?? 0);
    if (neighbour === null || neighbour.id === id) return false;
    const before = behind != null ? neighbour : await placeBefore(tx, line, id, neighbour);
    const found = await places(tx, line, id, before);
    for (const place of found ?? []) await put(tx, line, place);
    if (found !== null) return true;
    await spreadOut(tx, line);
  }
}

/** Null: those that follow have no room among them. */
async function places(db: Reader, line: Line, id: number, before: Placed | null): Promise<readonly Placed[] | null> {
  for (const many of LOOKED_AT) {
    const after = await placesBehind(db, line, id, before, many);
    const found = placesAfter(id, before, after, after.length < many);
    if (found !== null) return found;
  }
  return null;
}

/** Gives all of the line room again, in one statement. index: issues_by_position, epic_issues_by_epic */
async function spreadOut(tx: Transaction, { table, of, id }: Line): Promise<void> {
  const [things, owner] = [sql.table(table), sql.ref(of)];
  await sql`update ${things} set relative_position = spread.place * ${sql.lit(GAP)}
    from (select id, row_number() over (order by relative_position, id) as place from ${things} where ${owner} = ${id}) as spread
    where ${things}.id = spread.id`.execute(tx);
}

/** The first place of the line; null without any. index: issues_by_position, epic_issues_by_epic */
export async function firstPosition(db: Reader, line: Line): Promise<number | null> {
  return (await outermost(db, line, 'asc'))?.position ?? null;
}

/** The last one. index: issues_by_position, epic_issues_by_epic */
export async function lastPosition(db: Reader, line: Line): Promise<number | null> {
  return (await outermost(db, line, 'desc'))?.position ?? null;
}

function outermost(db: Reader, line: Line, direction: 'asc' | 'desc'): Promise<Placed | undefined> {
  return placed(db, line).orderBy('relative_position', direction).limit(1).executeTakeFirst();
}

/** index: issues_by_position, epic_issues_by_epic */
function placed(db: Reader, { table, of, id }: Line) {
  return db
    .selectFrom(table as 'issues')
    .select([`${table as 'issues'}.id`, 'relative_position as position'])
    .where(sql.ref(of), '=', id);
}

async function placeOf(db: Reader, line: Line, id: number): Promise<Placed | null> {
  return (await placed(db, line).where('id', '=', id).executeTakeFirst()) ?? null;
}

const PLACE = sql`(relative_position, id)`;

/** What stands before the neighbour, the thing that is being moved aside. */
async function placeBefore(db: Reader, line: Line, id: number, neighbour: Placed): Promise<Placed | null> {
  const before = await placed(db, line)
    .where('id', '<>', id)
    .where(sql<SqlBool>`${PLACE} < (${neighbour.position}, ${neighbour.id})`)
    .orderBy('relative_position', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return before ?? null;
}

/** Some that follow, the thing that is being moved aside; null: from the front. */
function placesBehind(db: Reader, line: Line, id: number, before: Placed | null, limit: number): Promise<Placed[]> {
  let behind = placed(db, line).where('id', '<>', id);
  if (before !== null) behind = behind.where(sql<SqlBool>`${PLACE} > (${before.position}, ${before.id})`);
  return behind.orderBy('relative_position').orderBy('id').limit(limit).execute();
}

async function put(tx: Transaction, { table }: Line, { id, position }: Placed): Promise<void> {
  await tx
    .updateTable(table as 'issues')
    .set({ relative_position: position })
    .where('id', '=', id)
    .execute();
}
