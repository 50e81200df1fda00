import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import type { ErrorTrackingTables } from '#database/tables/error-tracking.ts';
import { DEFAULT_INGESTION } from '#domain/error-tracking.ts';

export type Ingestion = Pick<
  Selectable<ErrorTrackingTables['ingestion_settings']>,
  'events_per_minute' | 'retention_days'
>;

const COLUMNS = ['events_per_minute', 'retention_days'] as const;

/** What holds in a project, set or not. index: ingestion_settings primary key */
export async function readIngestion(db: Reader, projectId: number): Promise<Ingestion> {
  const found = db.selectFrom('ingestion_settings').select(COLUMNS).where('project_id', '=', projectId);
  return (await found.executeTakeFirst()) ?? DEFAULT_INGESTION;
}

/**
 * Sets it, and begins a new minute of counting.
 * index: ingestion_settings primary key, ingestion_windows primary key
 */
export async function saveIngestion(tx: Transaction, projectId: number, ingestion: Ingestion): Promise<void> {
  const row = { ...ingestion, updated_at: tx.now };
  await tx
    .insertInto('ingestion_settings')
    .values({ project_id: projectId, created_at: tx.now, ...row })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
    .execute();
  await tx.deleteFrom('ingestion_windows').where('project_id', '=', projectId).execute();
}
