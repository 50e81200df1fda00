import type { Database } from '#database/database.ts';
import type { SiteScope } from '#domain/site-scope.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';

/**
 * A site that holds a part may have to be told of nothing for long, and asks for what is behind the same event again and
 * again. What of that has been looked at already is known here: nothing of it concerns the site, and nothing ever will
 * (what comes into its part has an event of its own).
 */
interface Looked {
  readonly after: number;
  readonly until: number;
}

const SITES = 1_000;
const looked = new WeakMap<Database, ReturnType<typeof createBoundedCache<Looked>>>();

function of(database: Database) {
  const known = looked.get(database) ?? createBoundedCache<Looked>(SITES);
  looked.set(database, known);
  return known;
}

const keyOf = ({ id, selective_sync_type, selective_sync_shards }: SiteScope) =>
  `${id} ${selective_sync_type} ${selective_sync_shards}`;

/** From where on events are to be looked at for a site that has heard of all up to `after`. */
export function unconcernedUntil(database: Database, scope: SiteScope, after: number): number {
  const known = of(database).get(keyOf(scope));
  return known?.after === after ? known.until : after;
}

/** Nothing between the two concerns the site. */
export function noteUnconcerned(database: Database, scope: SiteScope, { after, until }: Looked): void {
  of(database).set(keyOf(scope), { after, until });
}
