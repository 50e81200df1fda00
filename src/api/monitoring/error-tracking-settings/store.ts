import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import type { Schema } from '#database/schema.ts';

export type SettingsRow = Pick<Selectable<Schema['error_tracking_settings']>, 'project_id' | 'active' | 'integrated'>;

const COLUMNS = ['project_id', 'active', 'integrated'] as const;

/** Returns the settings of a project, or null if they were never saved. index: error_tracking_settings primary key */
export async function findSettings(db: Reader, projectId: number): Promise<SettingsRow | null> {
  const query = db.selectFrom('error_tracking_settings').select(COLUMNS).where('project_id', '=', projectId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Creates or updates the settings of a project. index: error_tracking_settings primary key */
export async function saveSettings(
  tx: Transaction,
  { project_id, active, integrated }: SettingsRow,
): Promise<SettingsRow> {
  const row = { active, integrated, updated_at: tx.now };
  return tx
    .insertInto('error_tracking_settings')
    .values({ project_id, created_at: tx.now, ...row })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}
