import type { Selectable } from 'kysely';
import { columnOf, type Resource } from '#activity/index.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type StateEventRow = Selectable<Schema['resource_state_events']>;

// index: resource_state_events_by_issue
function eventsOf(db: Reader, { type, id }: Resource) {
  return db.selectFrom('resource_state_events').selectAll().where(columnOf(type), '=', id);
}

/** One page of a thing's events, the first one first. */
export function listStateEvents(db: Reader, thing: Resource, page: OffsetRequest): Promise<Page<StateEventRow>> {
  return paged(db, eventsOf(db, thing).orderBy('resource_state_events.id', 'asc'), page);
}

/** One of the thing's own. */
export async function findStateEvent(db: Reader, thing: Resource, id: number): Promise<StateEventRow | null> {
  return (await eventsOf(db, thing).where('resource_state_events.id', '=', id).executeTakeFirst()) ?? null;
}
