import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import type { Schema } from '#database/schema.ts';
import { DEFAULT_INGESTION } from '#domain/error-tracking.ts';

export type IngestionSettingsRow = Pick<
  Selectable<Schema['ingestion_settings']>,
  'events_per_minute' | 'retention_days'
>;

const COLUMNS = ['events_per_minute', 'retention_days'] as const;

/** Returns the settings of a project, or the defaults if none are saved. index: ingestion_settings primary key */
export async function loadIngestionSettings(db: Reader, projectId: number): Promise<IngestionSettingsRow> {
  const query = db.selectFrom('ingestion_settings').select(COLUMNS).where('project_id', '=', projectId);
  return (await query.executeTakeFirst()) ?? DEFAULT_INGESTION;
}

/**
 * Saves the settings and resets the counter of the current minute.
 * index: ingestion_settings primary key, ingestion_windows primary key
 */
export async function saveIngestionSettings(
  tx: Transaction,
  projectId: number,
  settings: IngestionSettingsRow,
): Promise<void> {
  const row = { ...settings, updated_at: tx.now };
  await tx
    .insertInto('ingestion_settings')
    .values({ project_id: projectId, created_at: tx.now, ...row })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
    .execute();
  await tx.deleteFrom('ingestion_windows').where('project_id', '=', projectId).execute();
}
