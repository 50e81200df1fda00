import type { Database } from '#database/database.ts';
import type { SiteScope } from '#domain/site-scope.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';

/**
 * Cached range of events outside the scope of a site. A site with selective sync may get no events for a long time and
 * request events after the same id again and again. A cached range stays valid, because an object that enters the scope
 * gets a new event.
 */
interface SkippedRange {
  readonly afterId: number;
  readonly untilId: number;
}

/** Maximum number of cached ranges per database. */
const MAX_RANGES = 1_000;
const rangesByDatabase = new WeakMap<Database, ReturnType<typeof createBoundedCache<SkippedRange>>>();

function getRanges(database: Database) {
  const ranges = rangesByDatabase.get(database) ?? createBoundedCache<SkippedRange>(MAX_RANGES);
  rangesByDatabase.set(database, ranges);
  return ranges;
}

const toScopeKey = ({ id, selective_sync_type, selective_sync_shards }: SiteScope) =>
  `${id} ${selective_sync_type} ${selective_sync_shards}`;

/** Returns the event id from which to scan for a site that has read all events up to `afterId`. */
export function getScanStartId(database: Database, scope: SiteScope, afterId: number): number {
  const range = getRanges(database).get(toScopeKey(scope));
  return range?.afterId === afterId ? range.untilId : afterId;
}

/** Records that no event after `afterId`, up to and including `untilId`, is in the site's scope. */
export function recordSkippedRange(database: Database, scope: SiteScope, { afterId, untilId }: SkippedRange): void {
  getRanges(database).set(toScopeKey(scope), { afterId, untilId });
}
