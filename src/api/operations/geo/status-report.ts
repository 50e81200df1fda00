import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  describe,
  object,
  optional,
  type Parameters,
  type ParameterValues,
  required,
} from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { boolean, dateTime, integer } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  findSite,
  REPLICABLE_KINDS,
  SECONDARY_COUNT_SUFFIXES,
  type SiteWithStatus,
  storeStatus,
  toUnixSeconds,
  WEEKLY_COUNT_NAMES,
} from '../geo-sites/index.ts';

// Status reports of secondaries (contract/operations.md §3.4). Checksum counts are ignored, because only the primary has them.

const countNames = [
  'projects_count',
  ...REPLICABLE_KINDS.flatMap((kind) => SECONDARY_COUNT_SUFFIXES.map((suffix) => `${kind}_${suffix}`)),
  ...WEEKLY_COUNT_NAMES,
];

const countParams: Parameters = {
  ...Object.fromEntries(countNames.map((name) => [name, optional(integer)])),
  container_repositories_replication_enabled: optional(boolean),
};

export const statusReportParams = {
  geo_node_id: describe(required(integer), 'The id of the calling site.'),
  status_message: describe(optional(string), 'The problem of the site; empty if there is none.'),
  db_replication_lag_seconds: optional(integer),
  last_event_id: describe(optional(integer), 'The newest event that the site has received.'),
  last_event_date: optional(dateTime),
  cursor_last_event_id: describe(optional(integer), 'The last event that the site has processed.'),
  cursor_last_event_date: optional(dateTime),
  version: optional(string),
  revision: optional(string),
  storage_configuration_digest: describe(
    optional(string),
    'The SHA-256 of the storage names in order, joined by commas, in hexadecimal digits.',
  ),
  status: describe(optional(object(countParams)), 'The counts of the site by their names.'),
};

/** Stores the report of a site; missing values are stored as null, a missing message as an empty text. Fails with `otherSite` if the report is about another site or the site was deleted. */
export async function storeReport(
  uow: UnitOfWork,
  siteId: number,
  report: ParameterValues<typeof statusReportParams>,
): Promise<SiteWithStatus | Failure<'otherSite'>> {
  const site = report.geo_node_id === siteId ? await findSite(uow, siteId) : null;
  if (site === null) return fail('otherSite');
  const toSecondsOrNull = (timestamp: string | null | undefined) =>
    timestamp == null ? null : toUnixSeconds(timestamp);
  const status = await storeStatus(uow, {
    site_id: siteId,
    counts: JSON.stringify(report.status ?? {}),
    status_message: report.status_message ?? '',
    db_replication_lag_seconds: report.db_replication_lag_seconds ?? null,
    last_event_id: report.last_event_id ?? null,
    last_event_timestamp: toSecondsOrNull(report.last_event_date),
    cursor_last_event_id: report.cursor_last_event_id ?? null,
    cursor_last_event_timestamp: toSecondsOrNull(report.cursor_last_event_date),
    version: report.version ?? null,
    revision: report.revision ?? null,
    storage_configuration_digest: report.storage_configuration_digest ?? null,
  });
  return { site, status };
}
