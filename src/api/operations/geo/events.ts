import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { ReplicableName, Schema } from '#database/schema.ts';
import { type SiteScope, siteScopeColumns } from '#domain/site-scope.ts';
import { loadReplicables, type Replicable } from '../replicables/index.ts';

/** Events of objects in a site's scope, in commit order (contract/operations.md §3.4). */

type StoredEvent = Selectable<Schema['geo_events']>;

export interface SiteEvent extends Omit<StoredEvent, 'rescoped'> {
  readonly checksum: string | null;
}

interface SiteEventPage {
  readonly events: readonly SiteEvent[];
  /** The objects of these events in their current state. */
  readonly replicables: readonly Replicable[];
  /** Id up to which no further event is in the site's scope. */
  readonly scannedUntilId: number;
}

/** Returns the columns that decide which objects a site copies; null if the site was deleted. */
export async function findSiteScope(db: Reader, siteId: number): Promise<SiteScope | null> {
  // index: geo_sites primary key
  const row = await db.selectFrom('geo_sites').select(siteScopeColumns).where('id', '=', siteId).executeTakeFirst();
  return row ?? null;
}

/** Number of events that one query scans for a site with selective sync. */
const SCAN_BATCH_SIZE = 500;

/** Returns the next events after an id that are in the site's scope, at most `limit`. */
export async function listSiteEvents(
  db: Reader,
  scope: SiteScope,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<SiteEventPage> {
  const events: SiteEvent[] = [];
  const replicables: Replicable[] = [];
  let scannedUntilId = afterId;
  for (;;) {
    // A site without selective sync gets all events.
    const batchSize = scope.selective_sync_type === null ? limit - events.length : SCAN_BATCH_SIZE;
    const batch = await listEventsAfter(db, scannedUntilId, batchSize);
    const replicablesByKey = await loadReplicablesInScope(db, scope, batch);
    for (const event of batch) {
      const replicable = replicablesByKey.get(toReplicableKey(event));
      const siteEvent = toSiteEvent(event, replicable);
      scannedUntilId = event.id;
      if (siteEvent === null) continue;
      if (replicable !== undefined) replicables.push(replicable);
      if (events.push(siteEvent) === limit) return { events, replicables, scannedUntilId };
    }
    if (batch.length < batchSize) return { events, replicables, scannedUntilId };
  }
}

function listEventsAfter(db: Reader, afterId: number, limit: number): Promise<StoredEvent[]> {
  // index: geo_events primary key
  return db.selectFrom('geo_events').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute();
}

/** Returns the key of an object in maps of this file: its kind and id. */
const toReplicableKey = ({
  replicable_name: name,
  replicable_id: id,
}: Pick<StoredEvent, 'replicable_name' | 'replicable_id'>) => `${name} ${id}`;

/** Returns the objects of these events that are in the site's scope, by `toReplicableKey`. */
async function loadReplicablesInScope(
  db: Reader,
  scope: SiteScope,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<string, Replicable>> {
  const idsByName = new Map<ReplicableName, Set<number>>();
  for (const { event_name, replicable_name: name, replicable_id: id } of events) {
    if (event_name !== 'deleted') idsByName.set(name, (idsByName.get(name) ?? new Set()).add(id));
  }
  const replicablesByKey = new Map<string, Replicable>();
  for (const [name, ids] of idsByName) {
    for (const replicable of await loadReplicables(db, scope, name, { ids: [...ids] }))
      replicablesByKey.set(toReplicableKey(replicable), replicable);
  }
  return replicablesByKey;
}

/**
 * Returns the event as the site gets it; null if it is out of scope. All sites get deletions, because the scope of a
 * deleted object is unknown. A `rescoped` event, such as a transfer, reports an object that is now out of scope as deleted.
 */
function toSiteEvent({ rescoped, ...event }: StoredEvent, replicable: Replicable | undefined): SiteEvent | null {
  if (event.event_name === 'deleted' || (replicable === undefined && rescoped)) {
    return { ...event, event_name: 'deleted', checksum: null };
  }
  return replicable === undefined ? null : { ...event, checksum: replicable.checksum };
}
