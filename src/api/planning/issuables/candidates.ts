import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../../database/database.ts';
import { COMMON } from '../../../database/dialect.ts';
import { mayBeLong } from '../../../database/long-statements.ts';

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
}

/** So few that nobody looks for fewer. */
const FEW = 500;

/** Of these conditions one that few things fulfil; null: all of them are common. */
export async function rarest(db: Reader, conditions: readonly Condition[]): Promise<Condition | null> {
  let [best, least]: [Condition | null, number] = [null, COMMON];
  for (const condition of conditions) {
    if (condition.ids === undefined) continue;
    const count = await countUpTo(db, condition.ids, least + 1);
    if (count <= least) [best, least] = [condition, count];
    if (least <= FEW) return best;
  }
  return best;
}

async function countUpTo(db: Reader, ids: RawBuilder<unknown>, most: number): Promise<number> {
  const counted = sql<{
    count: number;
  }>`select count(*) as count from (${ids} limit ${sql.lit(most)}) found ${mayBeLong}`;
  return (await counted.execute(db)).rows[0]!.count;
}
