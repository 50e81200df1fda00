import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { Schema } from '#database/schema.ts';

/** The columns of an alert that mails use. */
export type AlertSubject = Pick<Selectable<Schema['alerts']>, 'id' | 'project_id' | 'iid' | 'title' | 'description'>;

/** Returns the alert, or null if it is deleted. index: alerts primary key */
export async function findAlertSubject(db: Reader, id: number): Promise<AlertSubject | null> {
  const row = await db
    .selectFrom('alerts')
    .select(['id', 'project_id', 'iid', 'title', 'description'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
