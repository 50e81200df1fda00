// Which test files `npm test` runs, and which of them also on PostgreSQL. Paths are relative to the root of the project.

/** Files that need no database run once. */
export function isUnit(file: string): boolean {
  return file.endsWith('.unit.test.ts');
}

/** Suites that take minutes and find what changes rarely break: hostile clients, killed processes, random requests. */
const ONLY_IN_FULL_RUN = /^test\/(?:hostile\/|crash\/|fuzz)/;

/** Returns whether only `npm test -- --all` runs a file. */
export function isOnlyInFullRun(file: string): boolean {
  return ONLY_IN_FULL_RUN.test(file);
}

/** Folders whose code depends on the engine: SQL beyond plain queries, locks, and transactions that repeat. */
const LAYERS_WITH_SQL =
  /^src\/(?:database|jobs|events|activity|rate-limits|settings|replication|repositories\/ref-updates)\//;

/** Each endpoint's statements run on PostgreSQL once, because these files divide the examples between the engines. */
const CHECKS_OF_EVERY_ENDPOINT = /^test\/[\w-]+\.test\.ts$/;

const QUERY_PLANS = /query-plans\.test\.ts$/;

/** A test of a race says so in its title, or changes rows between two statements of a request. */
const RACE =
  /\batNextTransaction\(|^\s*test\(\s*['"`][^\n]*\b(?:concurrent|concurrently|at once|at the same time|race)\b/m;

/** Returns whether the quick run also runs a file on PostgreSQL: tests of SQL, transactions and races. */
export function needsPostgres(file: string, text: string): boolean {
  if (LAYERS_WITH_SQL.test(file) || CHECKS_OF_EVERY_ENDPOINT.test(file) || QUERY_PLANS.test(file)) return true;
  return RACE.test(text);
}
