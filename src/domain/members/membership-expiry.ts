import { type Expression, type SqlBool, sql } from 'kysely';

/**
 * Condition: the membership has not expired. `expiresAt` is the column as the query names it (`memberships.expires_at`); `today`
 * is the UTC date, or a query parameter for it.
 */
export function isActiveMembership(
  expiresAt: `${string}expires_at`,
  today: string | Expression<unknown>,
): Expression<SqlBool> {
  const column = sql.ref(expiresAt);
  return sql<SqlBool>`(${column} is null or ${column} > ${today})`;
}
