import type { Database, Transaction } from '../database/database.ts';
import { type Refused, refused } from '../refused.ts';

/** How often one caller may ask for one thing (contract/conventions.md §8 "Application limits"). */
export interface ApplicationLimit {
  readonly name: string;
  /** Who is counted. */
  readonly subject: number | string;
  /** Requests in one period; 0: no limit. */
  readonly limit: number;
  readonly periodSeconds: number;
}

/**
 * Counts this request, for all processes together, and refuses it when it is one too many: `tooMany` with `seconds`.
 * Periods are fixed windows.
 */
export async function applicationLimit(
  database: Database,
  limit: ApplicationLimit,
): Promise<Refused<'tooMany'> | null> {
  if (limit.limit === 0) return null;
  const count = await database.transaction((tx) => countOne(tx, limit), { isolation: 'read committed' });
  return count > limit.limit ? refused('tooMany', { seconds: limit.periodSeconds }) : null;
}

async function countOne(tx: Transaction, { name, subject, periodSeconds }: ApplicationLimit): Promise<number> {
  const period = Math.floor(Date.parse(tx.now) / 1000 / periodSeconds);
  const { count } = await tx
    .insertInto('limit_counts')
    .values({ key: `${name}:${subject}`, period, count: 1 })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        period,
        count: eb
          .case()
          .when('limit_counts.period', '=', period)
          .then(eb('limit_counts.count', '+', 1))
          .else(1)
          .end(),
      })),
    )
    .returning('count')
    .executeTakeFirstOrThrow();
  return count;
}
