// Which test files `npm test` runs, and which of them also on PostgreSQL. Paths are relative to the root of the project.

/** Files that need no database run once. */
export function isUnit(file: string): boolean {
  return file.endsWith('.unit.test.ts');
}

/**
 * Suites that take minutes and find what changes rarely break: hostile clients, killed processes, random requests, archives of a
 * year of work. In a folder of `src`, the file with the hostile requests is named `hostile-bodies.test.ts`.
 */
const ONLY_IN_FULL_RUN = /^test\/(?:hostile\/|crash\/|fuzz)|^src\/cli\/demo-archives|\/hostile\b[^/]*$/;

/** Returns whether only `npm test -- --all` runs a file. */
export function isOnlyInFullRun(file: string): boolean {
  return ONLY_IN_FULL_RUN.test(file);
}

/** Folders whose code depends on the engine: SQL beyond plain queries, locks, and transactions that repeat. */
const LAYERS_WITH_SQL =
  /^src\/(?:database|jobs|events|activity|rate-limits|settings|replication|repositories\/ref-updates)\//;

/** Runs whose results are those of the database: statements, plans, values out of range and several processes. */
const SUITES_WITH_SQL =
  /^test\/(?:activity|list-filters|path-ids|multi-process|replication)\.test\.ts$|query-plans\.test\.ts$/;

/** Matches a test of a race, which has one of these words in its title. */
const RACE_TEST = /^\s*test\(\s*['"`][^\n]*\b(?:concurrent|concurrently|at the same time|race)\b/m;

/** Why the quick run runs a file on PostgreSQL. */
export type PostgresReason = 'sql' | 'races' | 'nothing';

/** Returns why the quick run also runs a file on PostgreSQL: it tests SQL and transactions, or a race. */
export function getPostgresReason(file: string, text: string): PostgresReason {
  if (LAYERS_WITH_SQL.test(file) || SUITES_WITH_SQL.test(file)) return 'sql';
  return RACE_TEST.test(text) ? 'races' : 'nothing';
}

/**
 * Returns whether a file makes calls of every endpoint. Where both engines run it they divide the endpoints, else SQLite calls
 * all.
 */
export function callsEveryEndpoint(text: string): boolean {
  return text.includes('ourShare(');
}
