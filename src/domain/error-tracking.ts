import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { isFeatureOn } from '#settings/features.ts';

/** Who may report errors to a project, how many, and how long they are kept (contract/monitoring.md §11, §13). */

/** What holds in a project where nobody has set it. */
export const DEFAULT_INGESTION = { events_per_minute: 3000, retention_days: 90 } as const;

/** Who writes what reports of a project write takes this turn: one of a hundred of them would run again for nothing. */
export const turnOfReports = (projectId: number) => `error_tracking:${projectId}`;

interface Reporting {
  /** Null: as many as come. */
  readonly eventsPerMinute: number | null;
}

// index: client_keys_by_public_key, error_tracking_settings primary key, ingestion_settings primary key
export const reportingByKey = prepare((db, value: Params<{ project: number; key: string }>) =>
  db
    .selectFrom('client_keys')
    .leftJoin('error_tracking_settings as settings', 'settings.project_id', 'client_keys.project_id')
    .leftJoin('ingestion_settings as ingestion', 'ingestion.project_id', 'client_keys.project_id')
    .select([
      'client_keys.active as key_active',
      'settings.active',
      'settings.integrated',
      'ingestion.retention_days',
      'ingestion.events_per_minute',
    ])
    .where('client_keys.public_key', '=', value('key'))
    .where('client_keys.project_id', '=', value('project')),
);

/**
 * How a sender with this key may report to the project of this id; null when it may not, whatever the reason is: no such
 * project or key, one that belongs elsewhere or is not active, a project that takes no reports. Two statements at most.
 */
export async function reportingWith(
  db: Reader,
  { projectId, key, tier }: { readonly projectId: number; readonly key: string; readonly tier: Tier },
): Promise<Reporting | null> {
  const row = await reportingByKey.first(db, { project: projectId, key });
  if (row === undefined || !row.key_active) return null;
  if (row.active === false || row.integrated === false) return null;
  if (!(await isErrorTrackingOn(db, { projectId, tier }))) return null;
  const isSet = row.retention_days !== null;
  return { eventsPerMinute: isSet ? row.events_per_minute : DEFAULT_INGESTION.events_per_minute };
}

/** Does the project take reports, as far as the feature flag of it says? */
export function isErrorTrackingOn(
  db: Reader,
  { projectId, tier }: { readonly projectId: number; readonly tier: Tier },
): Promise<boolean> {
  return isFeatureOn(db, { flag: 'integrated_error_tracking', tier, actor: { type: 'Project', id: projectId } });
}
