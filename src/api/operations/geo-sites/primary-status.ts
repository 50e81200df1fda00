import { createHash } from 'node:crypto';
import type { Reader } from '#database/database.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { countReplicables, countRows } from '../replicables/index.ts';
import { REPLICABLE_KINDS, type StoredStatus } from './status.ts';

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

/** Computes the status of this server in the format of a reported status. */
export async function getPrimaryStatus(
  db: Reader,
  { siteId, now, storages, version, revision }: PrimaryStatusOptions,
): Promise<PrimaryStatus> {
  const lastEvent = await findLastEvent(db);
  return {
    site_id: siteId,
    counts: JSON.stringify(await countPrimaryReplicables(db)),
    status_message: '',
    db_replication_lag_seconds: null,
    last_event_id: lastEvent?.id ?? null,
    last_event_timestamp: lastEvent === undefined ? null : toUnixSeconds(lastEvent.created_at),
    cursor_last_event_id: null,
    cursor_last_event_timestamp: null,
    version,
    revision,
    storage_configuration_digest: hashStorageNames(storages),
    last_successful_status_check_at: now,
    updated_at: now,
    slots: await countSlots(db, now),
  };
}

/** Returns whole Unix seconds. */
export const toUnixSeconds = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1000);

/** Returns a digest of storage names. Two sites with the same names, in any order, have equal digests. */
export function hashStorageNames(names: readonly string[]): string {
  return createHash('sha256')
    .update([...names].sort().join(','))
    .digest('hex');
}

function findLastEvent(db: Reader) {
  // index: geo_events primary key
  return db.selectFrom('geo_events').select(['id', 'created_at']).orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** Returns the counts of all kinds by field name. Kinds that Hearth does not have count 0. */
async function countPrimaryReplicables(db: Reader): Promise<Record<string, number>> {
  const countsByKind = await countReplicables(db);
  const namedCounts = REPLICABLE_KINDS.flatMap((kind) => {
    const { all, checksummed, failed } = countsByKind[kind] ?? { all: 0, checksummed: 0, failed: 0 };
    return [
      [`${kind}_count`, all],
      [`${kind}_checksum_total_count`, all],
      [`${kind}_checksummed_count`, checksummed],
      [`${kind}_checksum_failed_count`, failed],
    ] as const;
  });
  return { projects_count: await countRows(db, 'projects'), ...Object.fromEntries(namedCounts) };
}

/** Milliseconds since its last report in which a secondary counts as used. */
const MAX_REPORT_AGE_MS = 10 * 60_000;

async function countSlots(db: Reader, now: string): Promise<PrimaryStatus['slots']> {
  // No index: there are few sites.
  const rows = await db
    .selectFrom('geo_sites')
    .leftJoin('geo_statuses', 'geo_statuses.site_id', 'geo_sites.id')
    .select('geo_statuses.last_successful_status_check_at as last_reported_at')
    .where('is_primary', '=', false)
    .where('enabled', '=', true)
    .execute();
  const reportedSince = addMilliseconds(now, -MAX_REPORT_AGE_MS);
  return {
    count: rows.length,
    used: rows.filter(({ last_reported_at }) => last_reported_at !== null && last_reported_at >= reportedSince).length,
  };
}
