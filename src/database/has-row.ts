import type { SelectQueryBuilder } from 'kysely';

/** Does the query find anything? One row is looked at. */
export async function hasRow<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): Promise<boolean> {
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}
