import type { Selectable } from 'kysely';
import { columnOf, type Resource } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ownerVisibleTo } from '../noteables/index.ts';

export type MilestoneEventRow = Selectable<Schema['resource_milestone_events']> & { readonly milestone_id: number };

type Milestoned = Resource<'Issue' | 'MergeRequest'>;

/** index: resource_milestone_events_by_issue, resource_milestone_events_by_merge_request */
function eventsOf(db: Reader, { type, id }: Milestoned) {
  return db.selectFrom('resource_milestone_events').where(`resource_milestone_events.${columnOf(type)}`, '=', id);
}

/** Those whose milestone is still there, for the caller to read. index: milestones primary key */
function readable(db: Reader, caller: Caller, thing: Milestoned) {
  return eventsOf(db, thing)
    .innerJoin('milestones', 'milestones.id', 'resource_milestone_events.milestone_id')
    .selectAll('resource_milestone_events')
    .where(ownerVisibleTo('milestones', caller, db.today))
    .$narrowType<{ milestone_id: number }>();
}

/** One page of a thing's events, the first one first, of those whose milestone the caller may read. */
export function listMilestoneEvents(
  db: Reader,
  caller: Caller,
  thing: Milestoned,
  page: OffsetRequest,
): Promise<Page<MilestoneEventRow>> {
  return paged(db, readable(db, caller, thing).orderBy('resource_milestone_events.id', 'asc'), page);
}

/** One of the thing's own; `unread`: its milestone is deleted, or not for the caller. */
export async function findMilestoneEvent(
  db: Reader,
  caller: Caller,
  thing: Milestoned,
  id: number,
): Promise<MilestoneEventRow | Failure<'notFound' | 'unread'>> {
  const event = await readable(db, caller, thing).where('resource_milestone_events.id', '=', id).executeTakeFirst();
  if (event !== undefined) return event;
  const found = eventsOf(db, thing).select('id').where('resource_milestone_events.id', '=', id);
  return fail((await hasRow(found)) ? 'unread' : 'notFound');
}
