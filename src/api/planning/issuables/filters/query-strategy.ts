import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { countRows } from '#database/page.ts';
import { COMMON } from '#database/search/common-substrings.ts';
import type { Range } from '../kind.ts';

/**
 * A long list is either walked in its order, each thing being looked at, or gathered by an index and sorted. Walking ends
 * soon where many fit, gathering where few do; no engine knows beforehand which it is. So it is counted, no further than
 * it takes to know.
 */

/** What a list is narrowed to. */
export interface Condition {
  /** Of one thing. */
  readonly holds: Expression<SqlBool>;
  /** The ids of all that it holds for, `select ...`, where an index tells them. */
  readonly ids?: RawBuilder<unknown>;
  /** Ids among which all of these are, where that is told more cheaply: looked for in their place, and then looked at. */
  readonly idsAtMost?: RawBuilder<unknown>;
  /** The same where all are looked for at once, in no order: the engine may gather whatever tells it. */
  readonly atOnce?: Expression<SqlBool>;
  /** Its negation, at once too: of whether there is something, never unknown. PostgreSQL takes a double negation for no join. */
  readonly elseAtOnce?: Expression<SqlBool>;
  /** It looks into texts: asked last, of one thing and for how many. */
  readonly dear?: true;
}

/** So few that nobody looks for fewer. */
const FEW = 500;

/** So many conditions are counted: each costs a statement. */
const ASKED = 6;

/** A project with so few things is walked: an index of words tells of the whole instance. */
const SMALL = 2_000;

/** Of these conditions one that few things fulfil; null: all of them are common. */
export async function rarest(db: Reader, conditions: readonly Condition[]): Promise<Condition | null> {
  let [best, least]: [Condition | null, number] = [null, COMMON];
  for (const condition of conditions.filter(({ ids }) => ids !== undefined).slice(0, ASKED)) {
    const count = await countSome(db, condition.idsAtMost ?? condition.ids!, least + 1);
    if (count <= least) [best, least] = [condition, count];
    if (least <= FEW) return best;
  }
  return best;
}

/** Whether the list is of a project with few things: it is walked, whatever it is narrowed to. */
export async function isSmall(db: Reader, { kind, project }: Range): Promise<boolean> {
  if (project === null) return false;
  const all = sql`select 1 from ${sql.table(kind.things)} where project_id = ${project.id}`;
  return (await countSome(db, all, SMALL + 1)) <= SMALL;
}

function countSome(db: Reader, ids: RawBuilder<unknown>, most: number): Promise<number> {
  return countRows(db, sql`(${ids} limit ${sql.lit(most)})`);
}
