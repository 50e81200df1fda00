import type { Selectable } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type WeightEventRow = Selectable<Schema['resource_weight_events']>;

// index: resource_weight_events_by_issue
function selectEvents(db: Reader, issueId: number) {
  return db.selectFrom('resource_weight_events').selectAll().where('issue_id', '=', issueId);
}

/** Returns one page of the events of an issue, oldest first. */
export function listWeightEvents(db: Reader, issueId: number, page: OffsetRequest): Promise<Page<WeightEventRow>> {
  return paginate(db, selectEvents(db, issueId).orderBy('resource_weight_events.id', 'asc'), page);
}

/** Returns one event of the issue, or null. */
export async function findWeightEvent(db: Reader, issueId: number, id: number): Promise<WeightEventRow | null> {
  return (await selectEvents(db, issueId).where('resource_weight_events.id', '=', id).executeTakeFirst()) ?? null;
}
