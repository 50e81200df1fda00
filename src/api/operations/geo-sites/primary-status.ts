import { createHash } from 'node:crypto';
import type { Reader } from '#database/database.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { countReplicables, countRows } from '../replicables/index.ts';
import type { StoredStatus } from './status.ts';
import { REPLICABLE_KINDS } from './status-fields.ts';

/** Status of this server as the primary (contract/operations.md §3.2). */
export interface PrimaryStatus extends StoredStatus {
  /** `count`: enabled secondaries; `used`: those that have reported in the last ten minutes. */
  readonly slots: { readonly count: number; readonly used: number };
}

interface PrimaryStatusOptions {
  readonly siteId: number;
  readonly now: string;
  readonly storages: readonly string[];
  readonly version: string;
  readonly revision: string;
}

export async function getPrimaryStatus(
  db: Reader,
  { siteId, now, storages, version, revision }: PrimaryStatusOptions,
): Promise<PrimaryStatus> {
  const last = await findLastEvent(db);
  return {
    site_id: siteId,
    counts: JSON.stringify(await countPrimaryReplicables(db)),
    status_message: '',
    db_replication_lag_seconds: null,
    last_event_id: last?.id ?? null,
    last_event_timestamp: last === undefined ? null : toUnixSeconds(last.created_at),
    cursor_last_event_id: null,
    cursor_last_event_timestamp: null,
    version,
    revision,
    storage_configuration_digest: storageDigest(storages),
    last_successful_status_check_at: now,
    updated_at: now,
    slots: await countSlots(db, now),
  };
}

/** Returns whole seconds since 1970. */
export const toUnixSeconds = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000);

/** Returns a digest of storage names: equal if a site and its primary have the same ones. */
export function storageDigest(names: readonly string[]): string {
  return createHash('sha256')
    .update([...names].sort().join(','))
    .digest('hex');
}

function findLastEvent(db: Reader) {
  // index: geo_events primary key
  return db.selectFrom('geo_events').select(['id', 'created_at']).orderBy('id', 'desc').limit(1).executeTakeFirst();
}

async function countPrimaryReplicables(db: Reader): Promise<Record<string, number>> {
  const replicables = await countReplicables(db);
  const countsByName = REPLICABLE_KINDS.flatMap((kind) => {
    const { all, checksummed, failed } = replicables[kind] ?? { all: 0, checksummed: 0, failed: 0 };
    return [
      [`${kind}_count`, all],
      [`${kind}_checksum_total_count`, all],
      [`${kind}_checksummed_count`, checksummed],
      [`${kind}_checksum_failed_count`, failed],
    ] as const;
  });
  return { projects_count: await countRows(db, 'projects'), ...Object.fromEntries(countsByName) };
}

const RECENT_MS = 10 * 60_000;

async function countSlots(db: Reader, now: string): Promise<PrimaryStatus['slots']> {
  // Few rows.
  const rows = await db
    .selectFrom('geo_sites')
    .leftJoin('geo_statuses', 'geo_statuses.site_id', 'geo_sites.id')
    .select('geo_statuses.last_successful_status_check_at as heard_at')
    .where('is_primary', '=', false)
    .where('enabled', '=', true)
    .execute();
  const since = addMilliseconds(now, -RECENT_MS);
  return { count: rows.length, used: rows.filter(({ heard_at }) => heard_at !== null && heard_at >= since).length };
}
