import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { ReplicableName, SitesTables } from '#database/tables/replication-sites.ts';
import { type SiteScope, siteScopeColumns } from '#domain/site-scope.ts';
import { type Replicable, readReplicables } from '../replicables/index.ts';

/** What has happened to what a site holds, in the order in which it became visible (contract/operations.md §3.4). */

type StoredEvent = Selectable<SitesTables['geo_events']>;

export interface SiteEvent extends Omit<StoredEvent, 'rescoped'> {
  readonly checksum: string | null;
}

interface Events {
  readonly events: readonly SiteEvent[];
  /** What they are about, as it is now. */
  readonly replicables: readonly Replicable[];
  /** So far nothing else concerns the site. */
  readonly until: number;
}

export async function findScope(db: Reader, siteId: number): Promise<SiteScope | null> {
  // index: geo_sites primary key
  const row = await db.selectFrom('geo_sites').select(siteScopeColumns).where('id', '=', siteId).executeTakeFirst();
  return row ?? null;
}

/** So many events are looked at in one go. */
const LOOK = 500;

/** The next events behind an id that concern the site. */
export async function readEvents(
  db: Reader,
  scope: SiteScope,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<Events> {
  const found: SiteEvent[] = [];
  const replicables: Replicable[] = [];
  let until = afterId;
  for (;;) {
    // A site that holds all is told of all.
    const most = scope.selective_sync_type === null ? limit - found.length : LOOK;
    const some = await eventsBehind(db, until, most);
    const held = await readHeld(db, scope, some);
    for (const event of some) {
      const replicable = held.get(keyOf(event));
      const told = asTold(event, replicable);
      until = event.id;
      if (told === null) continue;
      if (replicable !== undefined) replicables.push(replicable);
      if (found.push(told) === limit) return { events: found, replicables, until };
    }
    if (some.length < most) return { events: found, replicables, until };
  }
}

function eventsBehind(db: Reader, afterId: number, limit: number): Promise<StoredEvent[]> {
  // index: geo_events primary key
  return db.selectFrom('geo_events').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute();
}

const keyOf = ({ replicable_name: name, replicable_id: id }: Pick<StoredEvent, 'replicable_name' | 'replicable_id'>) =>
  `${name} ${id}`;

/** What these events are about, so far as the site holds it. */
async function readHeld(
  db: Reader,
  scope: SiteScope,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<string, Replicable>> {
  const idsByName = new Map<ReplicableName, Set<number>>();
  for (const { event_name, replicable_name: name, replicable_id: id } of events) {
    if (event_name !== 'deleted') idsByName.set(name, (idsByName.get(name) ?? new Set()).add(id));
  }
  const held = new Map<string, Replicable>();
  for (const [name, ids] of idsByName) {
    for (const one of await readReplicables(db, scope, name, { ids: [...ids] })) held.set(keyOf(one), one);
  }
  return held;
}

/**
 * The event as the site is told of it; null: it is of no concern. What has gone is told to everybody: who held it is known
 * no more. What has left a site's part is as good as deleted there.
 */
function asTold({ rescoped, ...event }: StoredEvent, replicable: Replicable | undefined): SiteEvent | null {
  if (event.event_name === 'deleted' || (replicable === undefined && rescoped)) {
    return { ...event, event_name: 'deleted', checksum: null };
  }
  return replicable === undefined ? null : { ...event, checksum: replicable.checksum };
}
