import type { Database } from '#database/database.ts';
import type { SiteScope } from '#domain/site-scope.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';

/**
 * Cache of event ranges outside the scope of a site. A site with selective sync may get no events for a long time and
 * request events after the same id again and again. The range stays outside its scope: an object that enters the scope
 * gets a new event.
 */
interface SkippedRange {
  readonly after: number;
  readonly until: number;
}

const MAX_SITES = 1_000;
const rangesByDatabase = new WeakMap<Database, ReturnType<typeof createBoundedCache<SkippedRange>>>();

function getRanges(database: Database) {
  const range = rangesByDatabase.get(database) ?? createBoundedCache<SkippedRange>(MAX_SITES);
  rangesByDatabase.set(database, range);
  return range;
}

const scopeKey = ({ id, selective_sync_type, selective_sync_shards }: SiteScope) =>
  `${id} ${selective_sync_type} ${selective_sync_shards}`;

/** Returns the event id from which to scan for a site that has read all events up to `after`. */
export function findSkippedUntil(database: Database, scope: SiteScope, after: number): number {
  const range = getRanges(database).get(scopeKey(scope));
  return range?.after === after ? range.until : after;
}

/** Records that no event between `after` and `until` is in the site's scope. */
export function recordSkipped(database: Database, scope: SiteScope, { after, until }: SkippedRange): void {
  getRanges(database).set(scopeKey(scope), { after, until });
}
