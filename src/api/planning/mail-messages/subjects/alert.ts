import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { MonitoringTables } from '#database/tables/alerts.ts';

/** An alert as mails tell of it. */
export type ToldAlert = Pick<
  Selectable<MonitoringTables['alerts']>,
  'id' | 'project_id' | 'iid' | 'title' | 'description'
>;

/** null: it is gone. index: alerts primary key */
export async function findToldAlert(db: Reader, id: number): Promise<ToldAlert | null> {
  const row = await db
    .selectFrom('alerts')
    .select(['id', 'project_id', 'iid', 'title', 'description'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
