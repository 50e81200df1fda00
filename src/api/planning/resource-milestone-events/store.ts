import type { Selectable } from 'kysely';
import { getForeignKeyColumn, type Resource } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { hasRow, type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { labelOrMilestoneVisibleTo } from '../noteables/index.ts';

export type MilestoneEventRow = Selectable<Schema['resource_milestone_events']> & { readonly milestone_id: number };

type MilestoneResource = Resource<'Issue' | 'MergeRequest'>;

/** index: resource_milestone_events_by_issue, resource_milestone_events_by_merge_request */
function selectEvents(db: Reader, { type, id }: MilestoneResource) {
  return db
    .selectFrom('resource_milestone_events')
    .where(`resource_milestone_events.${getForeignKeyColumn(type)}`, '=', id);
}

/** Selects the events whose milestone exists and is readable for the caller. index: milestones primary key */
function selectReadableEvents(db: Reader, caller: Caller, noteable: MilestoneResource) {
  return selectEvents(db, noteable)
    .innerJoin('milestones', 'milestones.id', 'resource_milestone_events.milestone_id')
    .selectAll('resource_milestone_events')
    .where(labelOrMilestoneVisibleTo('milestones', caller, db.today))
    .$narrowType<{ milestone_id: number }>();
}

/** Returns one page of the events of a noteable whose milestone the caller may read, oldest first. */
export function listMilestoneEvents(
  db: Reader,
  caller: Caller,
  noteable: MilestoneResource,
  page: OffsetRequest,
): Promise<Page<MilestoneEventRow>> {
  return paginate(db, selectReadableEvents(db, caller, noteable).orderBy('resource_milestone_events.id', 'asc'), page);
}

/** Returns one event of the noteable, or `milestoneHidden` if its milestone is deleted or not readable for the caller. */
export async function findMilestoneEvent(
  db: Reader,
  caller: Caller,
  noteable: MilestoneResource,
  id: number,
): Promise<MilestoneEventRow | Failure<'notFound' | 'milestoneHidden'>> {
  const event = await selectReadableEvents(db, caller, noteable)
    .where('resource_milestone_events.id', '=', id)
    .executeTakeFirst();
  if (event !== undefined) return event;
  const eventById = selectEvents(db, noteable).select('id').where('resource_milestone_events.id', '=', id);
  return fail((await hasRow(eventById)) ? 'milestoneHidden' : 'notFound');
}
