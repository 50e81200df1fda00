import type { Selectable } from 'kysely';
import { getForeignKeyColumn, type Resource } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { labelOrMilestoneVisibleTo } from '../noteables/index.ts';

export type LabelEventRow = Selectable<Schema['resource_label_events']>;

/** index: resource_label_events_by_issue, resource_label_events_by_merge_request, resource_label_events_by_epic */
function selectEvents(db: Reader, { type, id }: Resource) {
  return db.selectFrom('resource_label_events').where(`resource_label_events.${getForeignKeyColumn(type)}`, '=', id);
}

/** Selects the events whose label is deleted or readable for the caller. index: labels primary key */
function selectReadableEvents(db: Reader, caller: Caller, noteable: Resource) {
  return selectEvents(db, noteable)
    .leftJoin('labels', 'labels.id', 'resource_label_events.label_id')
    .selectAll('resource_label_events')
    .where((eb) => eb.or([eb('labels.id', 'is', null), labelOrMilestoneVisibleTo('labels', caller, db.today)]));
}

/** Returns one page of the events of a noteable whose label the caller may read, oldest first. */
export function listLabelEvents(
  db: Reader,
  caller: Caller,
  noteable: Resource,
  page: OffsetRequest,
): Promise<Page<LabelEventRow>> {
  return paginate(db, selectReadableEvents(db, caller, noteable).orderBy('resource_label_events.id', 'asc'), page);
}

/** Returns one event of the noteable, or `labelHidden` if the caller may not read its label. */
export async function findLabelEvent(
  db: Reader,
  caller: Caller,
  noteable: Resource,
  id: number,
): Promise<LabelEventRow | Failure<'notFound' | 'labelHidden'>> {
  const event = await selectReadableEvents(db, caller, noteable)
    .where('resource_label_events.id', '=', id)
    .executeTakeFirst();
  if (event !== undefined) return event;
  const eventById = selectEvents(db, noteable).select('id').where('resource_label_events.id', '=', id);
  return fail((await hasRow(eventById)) ? 'labelHidden' : 'notFound');
}
