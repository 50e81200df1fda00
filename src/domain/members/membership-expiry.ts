import { type Expression, type SqlBool, sql } from 'kysely';

/**
 * Is a membership live: has it no end, or has its last day not come? `expiresAt` names the column as the query knows it
 * (`memberships.expires_at`); `today` is the UTC day.
 */
export function isLive(expiresAt: `${string}expires_at`, today: string | Expression<unknown>): Expression<SqlBool> {
  const column = sql.ref(expiresAt);
  return sql<SqlBool>`(${column} is null or ${column} > ${today})`;
}
