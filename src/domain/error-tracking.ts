import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { isFeatureEnabled } from '#settings/features.ts';

// Who may report errors to a project, at what rate, and how long reports are kept (contract/monitoring.md §11, §13).

/** Values for projects without their own settings. */
export const DEFAULT_INGESTION = { events_per_minute: 3000, retention_days: 90 } as const;

/**
 * Lock key for writing error reports of a project. Without the lock, concurrent writers would conflict and run again.
 */
export const buildErrorReportsLockKey = (projectId: number) => `error_tracking:${projectId}`;

interface IngestionLimits {
  /** Null: no limit. */
  readonly eventsPerMinute: number | null;
}

// index: client_keys_by_public_key, error_tracking_settings primary key, ingestion_settings primary key
export const findIngestionSettingsByKey = prepare((db, value: Params<{ project: number; key: string }>) =>
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
 * Returns the ingestion limits for a client key of a project. Null if the key may not report: it is unknown, inactive
 * or of another project, or the project accepts no reports. Runs at most two queries.
 */
export async function findIngestionLimits(
  db: Reader,
  { projectId, key, tier }: { readonly projectId: number; readonly key: string; readonly tier: Tier },
): Promise<IngestionLimits | null> {
  const row = await findIngestionSettingsByKey.first(db, { project: projectId, key });
  if (row === undefined || !row.key_active) return null;
  // Null (no settings row) means that reports are accepted.
  if (row.active === false || row.integrated === false) return null;
  if (!(await isErrorTrackingEnabled(db, { projectId, tier }))) return null;
  // `retention_days` is null only if the project has no row in `ingestion_settings`.
  const hasOwnSettings = row.retention_days !== null;
  return { eventsPerMinute: hasOwnSettings ? row.events_per_minute : DEFAULT_INGESTION.events_per_minute };
}

/** Returns whether the feature flag of error tracking is on for the project. */
export function isErrorTrackingEnabled(
  db: Reader,
  { projectId, tier }: { readonly projectId: number; readonly tier: Tier },
): Promise<boolean> {
  return isFeatureEnabled(db, { flag: 'integrated_error_tracking', tier, actor: { type: 'Project', id: projectId } });
}
