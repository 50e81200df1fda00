import { createBoundedCache } from '#runtime/bounded-cache.ts';

/** Limits: each connection stores a plan per name, and a text gets a name only after some uses. */
const MAX_NAMES = 500;
const USES_BEFORE_NAMING = 2;
const MAX_WATCHED = 2_000;

/**
 * Assigns names to frequent statement texts, which PostgreSQL then parses and plans once per connection. Texts with `*` get no
 * name: their plans break when another process migrates.
 */
export function createStatementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  const seenStatements = createBoundedCache<number>(MAX_WATCHED);
  return (sql) => {
    const knownName = names.get(sql);
    if (knownName !== undefined || names.size === MAX_NAMES || sql.includes('*')) return knownName;
    const times = (seenStatements.get(sql) ?? 0) + 1;
    seenStatements.set(sql, times);
    if (times <= USES_BEFORE_NAMING) return undefined;
    const name = `hearth_text_${names.size + 1}`;
    names.set(sql, name);
    seenStatements.delete(sql);
    return name;
  };
}
