import type { SelectQueryBuilder } from 'kysely';

/** Returns whether the query finds a row. Reads at most one row. */
export async function hasRow<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): Promise<boolean> {
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}
