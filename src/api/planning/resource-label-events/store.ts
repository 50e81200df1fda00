import type { Selectable } from 'kysely';
import { columnOf, type Resource } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ownerVisibleTo } from '../noteables/index.ts';

export type LabelEventRow = Selectable<Schema['resource_label_events']>;

/** index: resource_label_events_by_issue, resource_label_events_by_merge_request, resource_label_events_by_epic */
function eventsOf(db: Reader, { type, id }: Resource) {
  return db.selectFrom('resource_label_events').where(`resource_label_events.${columnOf(type)}`, '=', id);
}

/** Those whose label the caller may read, or is deleted. index: labels primary key */
function readable(db: Reader, caller: Caller, thing: Resource) {
  return eventsOf(db, thing)
    .leftJoin('labels', 'labels.id', 'resource_label_events.label_id')
    .selectAll('resource_label_events')
    .where((eb) => eb.or([eb('labels.id', 'is', null), ownerVisibleTo('labels', caller, db.today)]));
}

/** One page of a thing's events, the first one first, of those whose label the caller may read. */
export function listLabelEvents(
  db: Reader,
  caller: Caller,
  thing: Resource,
  page: OffsetRequest,
): Promise<Page<LabelEventRow>> {
  return paged(db, readable(db, caller, thing).orderBy('resource_label_events.id', 'asc'), page);
}

/** One of the thing's own; `unread`: its label is not for the caller. */
export async function findLabelEvent(
  db: Reader,
  caller: Caller,
  thing: Resource,
  id: number,
): Promise<LabelEventRow | Failure<'notFound' | 'unread'>> {
  const event = await readable(db, caller, thing).where('resource_label_events.id', '=', id).executeTakeFirst();
  if (event !== undefined) return event;
  const found = eventsOf(db, thing).select('id').where('resource_label_events.id', '=', id);
  return fail((await hasRow(found)) ? 'unread' : 'notFound');
}
