import { keptAtMost } from '#runtime/bounded-cache.ts';

/** Each connection keeps a plan for each name, so that there are not many; what is seen once or twice gets none. */
const NAMES = 500;
const SEEN_BEFORE = 2;
const WATCHED = 2_000;

/**
 * Names for the texts of statements that come again and again: PostgreSQL parses and plans those once a connection. Not
 * for those with `*`, whose plans die when another process migrates.
 */
export function statementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  const seen = keptAtMost<number>(WATCHED);
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined || names.size === NAMES || sql.includes('*')) return known;
    const times = (seen.get(sql) ?? 0) + 1;
    seen.set(sql, times);
    if (times <= SEEN_BEFORE) return undefined;
    const name = `hearth_text_${names.size + 1}`;
    names.set(sql, name);
    seen.delete(sql);
    return name;
  };
}
