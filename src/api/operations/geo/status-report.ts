import type { UnitOfWork } from '#events/unit-of-work.ts';
import { object, optional, type Parameters, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { boolean, dateTime, integer } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  COUNTED_BY_SECONDARIES,
  findSite,
  KINDS,
  keepStatus,
  type SiteWithStatus,
  secondsOf,
  WEEKLY,
} from '../geo-sites/index.ts';

/** What a secondary says of itself (contract/operations.md §3.4). What it can't know, the checksums of the primary, is not read. */

const countNames = [
  'projects_count',
  ...KINDS.flatMap((kind) => COUNTED_BY_SECONDARIES.map((what) => `${kind}_${what}`)),
  ...WEEKLY,
];

const counts: Parameters = {
  ...Object.fromEntries(countNames.map((name) => [name, optional(integer)])),
  container_repositories_replication_enabled: optional(boolean),
};

export const reportParams = {
  geo_node_id: required(integer),
  status_message: optional(string),
  db_replication_lag_seconds: optional(integer),
  last_event_id: optional(integer),
  last_event_date: optional(dateTime),
  cursor_last_event_id: optional(integer),
  cursor_last_event_date: optional(dateTime),
  version: optional(string),
  revision: optional(string),
  storage_configuration_digest: optional(string),
  status: optional(object(counts)),
};

/** What was sent of it: nothing stands for what was not. */
interface Report {
  readonly geo_node_id: number;
  readonly status_message?: string | null | undefined;
  readonly db_replication_lag_seconds?: number | null | undefined;
  readonly last_event_id?: number | null | undefined;
  readonly last_event_date?: string | null | undefined;
  readonly cursor_last_event_id?: number | null | undefined;
  readonly cursor_last_event_date?: string | null | undefined;
  readonly version?: string | null | undefined;
  readonly revision?: string | null | undefined;
  readonly storage_configuration_digest?: string | null | undefined;
  readonly status?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Keeps what the site says. It speaks for itself alone. */
export async function keepReport(
  uow: UnitOfWork,
  siteId: number,
  report: Report,
): Promise<SiteWithStatus | Failure<'otherSite'>> {
  const site = report.geo_node_id === siteId ? await findSite(uow, siteId) : null;
  if (site === null) return fail('otherSite');
  const seconds = (moment: string | null | undefined) => (moment == null ? null : secondsOf(moment));
  const status = await keepStatus(uow, {
    site_id: siteId,
    counts: JSON.stringify(report.status ?? {}),
    status_message: report.status_message ?? '',
    db_replication_lag_seconds: report.db_replication_lag_seconds ?? null,
    last_event_id: report.last_event_id ?? null,
    last_event_timestamp: seconds(report.last_event_date),
    cursor_last_event_id: report.cursor_last_event_id ?? null,
    cursor_last_event_timestamp: seconds(report.cursor_last_event_date),
    version: report.version ?? null,
    revision: report.revision ?? null,
    storage_configuration_digest: report.storage_configuration_digest ?? null,
  });
  return { site, status };
}
