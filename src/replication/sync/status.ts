import { INSTANCE_VERSION } from '#api/instance/version/index.ts';
import {
  buildReplicableValues,
  formatPercentage,
  hashStorageNames,
  REPLICABLE_KINDS,
  toUnixSeconds,
} from '#api/operations/geo-sites/index.ts';
import type { Database } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { checkStorage } from '#git/storage/storage.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import type { OwnSiteResponse, ReplicationEvent, SiteRow, SiteStatusRow } from '../primary/schemas.ts';
import { loadWeeklyCounts } from './counters.ts';
import { getPosition } from './follow-events.ts';
import { countCopies } from './registry.ts';

interface StatusReportOptions {
  readonly database: Database;
  readonly git: Git;
  readonly primary: Primary;
  readonly siteId: number;
  readonly now: Date;
}

export type StatusReport = Awaited<ReturnType<typeof buildStatusReport>>;

/** Returns the status of the copies, as reported to the primary (contract/operations.md §3.4, `POST /geo/status`). */
export async function buildStatusReport({ database, git, primary, siteId, now }: StatusReportOptions) {
  const { cursor, cursor_at } = await getPosition(database.reader);
  const oldestEvent = await findOldestUnfollowedEvent(primary, cursor);
  const secondsBehind =
    oldestEvent && Math.max(0, Math.floor((now.getTime() - Date.parse(oldestEvent.created_at)) / 1000));
  const followedEvent = { cursor_last_event_id: cursor === 0 ? null : cursor, cursor_last_event_date: cursor_at };
  return {
    geo_node_id: siteId,
    status_message: await findStorageProblem(git),
    db_replication_lag_seconds: oldestEvent === undefined ? 0 : secondsBehind,
    last_event_id: oldestEvent?.id ?? followedEvent.cursor_last_event_id,
    last_event_date: oldestEvent?.created_at ?? followedEvent.cursor_last_event_date,
    ...followedEvent,
    version: INSTANCE_VERSION.apiVersion,
    revision: INSTANCE_VERSION.revision,
    storage_configuration_digest: hashStorageNames(Object.keys(git.storages)),
    status: await loadCounts(database),
  };
}

/** Returns the oldest unprocessed event; undefined if there is none, null if the primary is unavailable. */
async function findOldestUnfollowedEvent(
  primary: Primary,
  cursor: number,
): Promise<ReplicationEvent | undefined | null> {
  try {
    return (await primary.listEvents(cursor))[0];
  } catch (error) {
    if (error instanceof PrimaryFailure) return null;
    throw error;
  }
}

/** Returns a message about the first storage that is not writable; an empty text if there is none. */
async function findStorageProblem(git: Git): Promise<string> {
  for (const name of Object.keys(git.storages).sort()) {
    if ((await checkStorage(git, name)) !== null) return `Storage ${name} is not writable`;
  }
  return '';
}

/** Returns the counts of each kind that a secondary reports (contract/operations.md §3.2). */
async function loadCounts({ reader }: Database): Promise<Record<string, number | boolean>> {
  const rows = (await countCopies(reader)).filter(({ state }) => state !== 'leaving');
  const counts: Record<string, number | boolean> = {};
  for (const kind of REPLICABLE_KINDS) {
    const kindRows = rows.filter(({ replicable_name }) => pluralize(replicable_name) === kind);
    const sumCounts = (matches: (row: (typeof kindRows)[number]) => boolean) =>
      kindRows.filter(matches).reduce((sum, row) => sum + Number(row.count), 0);
    const isSynced = ({ state }: (typeof kindRows)[number]) => state === 'synced';
    counts[`${kind}_count`] = sumCounts(() => true);
    counts[`${kind}_registry_count`] = sumCounts(() => true);
    counts[`${kind}_synced_count`] = sumCounts(isSynced);
    counts[`${kind}_failed_count`] = sumCounts(({ state }) => state === 'failed');
    counts[`${kind}_verification_total_count`] = sumCounts(isSynced);
    counts[`${kind}_verified_count`] = sumCounts((row) => isSynced(row) && row.verification === 'verified');
    counts[`${kind}_verification_failed_count`] = sumCounts(({ verification }) => verification === 'failed');
  }
  return {
    ...counts,
    projects_count: counts.project_repositories_count as number,
    container_repositories_replication_enabled: false,
    ...(await loadWeeklyCounts(reader)),
  };
}

/** Returns the plural, which names a kind in the status. */
function pluralize(name: string): string {
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}

interface StatusDocumentOptions {
  readonly report: StatusReport;
  /** The response to the last poll. */
  readonly polledSite: OwnSiteResponse;
  /** This site, as the primary serializes it. */
  readonly site: SiteRow;
  /** The last status from the primary; undefined: none yet. */
  readonly previousStatus: SiteStatusRow | undefined;
  readonly now: Date;
}

/** Returns the status in the format of the API (contract/operations.md §3.2). */
export function buildStatusDocument({
  report,
  polledSite,
  site,
  previousStatus,
  now,
}: StatusDocumentOptions): SiteStatusRow {
  const { status, status_message: message } = report;
  const links = (site._links ?? {}) as Readonly<Record<string, unknown>>;
  const toSeconds = (time: string | null) => (time === null ? 0 : toUnixSeconds(time));
  const replicableFields = buildReplicableValues(status);
  return {
    geo_node_id: report.geo_node_id,
    projects_count: status.projects_count,
    container_repositories_replication_enabled: status.container_repositories_replication_enabled,
    ...replicableFields,
    git_fetch_event_count_weekly: status.git_fetch_event_count_weekly,
    git_push_event_count_weekly: status.git_push_event_count_weekly,
    proxy_remote_requests_event_count_weekly: status.proxy_remote_requests_event_count_weekly,
    proxy_local_requests_event_count_weekly: status.proxy_local_requests_event_count_weekly,
    // Hearth has no scheduled repository checks, and only the primary has slots.
    repositories_checked_in_percentage: formatPercentage(null, null),
    replication_slots_used_in_percentage: formatPercentage(null, null),
    repositories_count: replicableFields.project_repositories_count,
    replication_slots_count: null,
    replication_slots_used_count: null,
    healthy: message === '',
    health: message === '' ? 'Healthy' : message,
    health_status: message === '' ? 'Healthy' : 'Unhealthy',
    missing_oauth_application: previousStatus?.missing_oauth_application ?? false,
    db_replication_lag_seconds: report.db_replication_lag_seconds,
    replication_slots_max_retained_wal_bytes: null,
    repositories_checked_count: null,
    repositories_checked_failed_count: null,
    last_event_id: report.last_event_id,
    last_event_timestamp: toSeconds(report.last_event_date),
    cursor_last_event_id: report.cursor_last_event_id,
    cursor_last_event_timestamp: toSeconds(report.cursor_last_event_date),
    last_successful_status_check_timestamp: toUnixSeconds(now.toISOString()),
    version: report.version,
    revision: report.revision,
    selective_sync_type: polledSite.site.selective_sync_type,
    namespaces: previousStatus?.namespaces ?? [],
    updated_at: now.toISOString(),
    storage_shards_match: report.storage_configuration_digest === hashStorageNames(polledSite.storages),
    _links: { self: links.status, site: links.self },
  };
}

interface HeartbeatOptions {
  readonly clock: Clock;
  readonly poll: () => Promise<unknown>;
  readonly report: () => Promise<unknown>;
  /** Starts work whose time has come. */
  readonly startDue: () => void;
  readonly pollSeconds: number;
  readonly reportSeconds: number;
  readonly log: Log;
}

/** Interval of the timer, in milliseconds. */
const TICK_MS = 1_000;

/** Polls and reports periodically. A slow run delays the next one instead of overlapping it. */
export function createHeartbeat({ clock, poll, report, startDue, pollSeconds, reportSeconds, log }: HeartbeatOptions) {
  const createPeriodicWork = (seconds: number, work: () => Promise<unknown>) => {
    let nextRunMs = 0;
    let currentRun: Promise<unknown> | null = null;
    return {
      tick() {
        const now = clock.now().getTime();
        if (currentRun !== null || now < nextRunMs) return;
        nextRunMs = now + seconds * 1000;
        currentRun = work()
          .catch((err) => log.error({ err }, 'Periodic work of the secondary failed'))
          .finally(() => {
            currentRun = null;
          });
      },
      currentRun: () => currentRun,
    };
  };
  const polls = createPeriodicWork(pollSeconds, poll);
  const reports = createPeriodicWork(reportSeconds, report);
  let timer: NodeJS.Timeout | undefined;
  const tick = () => {
    polls.tick();
    reports.tick();
    startDue();
  };
  return {
    start() {
      timer = setInterval(tick, TICK_MS);
      tick();
    },
    async stop() {
      clearInterval(timer);
      await Promise.all([polls.currentRun(), reports.currentRun()]);
    },
  };
}
