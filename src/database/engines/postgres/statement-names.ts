import { createBoundedCache } from '#runtime/bounded-cache.ts';

/** Maximum number of names: each connection stores a plan per name. */
const MAX_NAMES = 500;
/** Number of uses of a statement without a name; the next use assigns one. */
const USES_BEFORE_NAMING = 2;
/** Maximum number of statements without a name whose uses are counted. */
const MAX_COUNTED_STATEMENTS = 2_000;

/**
 * Returns a function that assigns names to frequent statements, which PostgreSQL then parses and plans once per connection. It
 * returns undefined for other statements. Statements with `*` get no name: their plans break when another process migrates.
 */
export function createStatementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  const useCountsByStatement = createBoundedCache<number>(MAX_COUNTED_STATEMENTS);
  return (sql) => {
    const existingName = names.get(sql);
    if (existingName !== undefined || names.size === MAX_NAMES || sql.includes('*')) return existingName;
    const useCount = (useCountsByStatement.get(sql) ?? 0) + 1;
    useCountsByStatement.set(sql, useCount);
    if (useCount <= USES_BEFORE_NAMING) return undefined;
    const name = `hearth_text_${names.size + 1}`;
    names.set(sql, name);
    useCountsByStatement.delete(sql);
    return name;
  };
}
