import type { Selectable } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type WeightEventRow = Selectable<Schema['resource_weight_events']>;

// index: resource_weight_events_by_issue
function eventsOf(db: Reader, issueId: number) {
  return db.selectFrom('resource_weight_events').selectAll().where('issue_id', '=', issueId);
}

/** One page of an issue's events, the first one first. */
export function listWeightEvents(db: Reader, issueId: number, page: OffsetRequest): Promise<Page<WeightEventRow>> {
  return paged(db, eventsOf(db, issueId).orderBy('resource_weight_events.id', 'asc'), page);
}

/** One of the issue's own. */
export async function findWeightEvent(db: Reader, issueId: number, id: number): Promise<WeightEventRow | null> {
  return (await eventsOf(db, issueId).where('resource_weight_events.id', '=', id).executeTakeFirst()) ?? null;
}
