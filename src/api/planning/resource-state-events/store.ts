import type { Selectable } from 'kysely';
import { getForeignKeyColumn, type Resource } from '#activity/index.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type StateEventRow = Selectable<Schema['resource_state_events']>;

// index: resource_state_events_by_issue
function selectEvents(db: Reader, { type, id }: Resource) {
  return db.selectFrom('resource_state_events').selectAll().where(getForeignKeyColumn(type), '=', id);
}

/** Returns one page of the events of a noteable, oldest first. */
export function listStateEvents(db: Reader, noteable: Resource, page: OffsetRequest): Promise<Page<StateEventRow>> {
  return paginate(db, selectEvents(db, noteable).orderBy('resource_state_events.id', 'asc'), page);
}

/** Returns one event of the noteable, or null. */
export async function findStateEvent(db: Reader, noteable: Resource, id: number): Promise<StateEventRow | null> {
  return (await selectEvents(db, noteable).where('resource_state_events.id', '=', id).executeTakeFirst()) ?? null;
}
