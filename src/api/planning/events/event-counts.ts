import { type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { projectVisibleTo } from '#authorization/visibility.ts';
import type { Columns, Reader } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import {
  type ActivityEventRow,
  type EventQuery,
  type Events,
  listProjectIdsOfAuthor,
  MAX_SINGLE_PROJECT_LOOKUPS,
  orderEvents,
  selectFilteredEvents,
} from './store.ts';

/** Events of one day that have the same target, or none. */
interface EventCount extends Pick<ActivityEventRow, 'project_id' | 'target_type' | 'target_id'> {
  /** `YYYY-MM-DD` (UTC). */
  readonly day: string;
  readonly count: number;
}

/** Maximum number of events that are counted: the newest ones. */
const MAX_COUNTED_EVENTS = 50_000;

/** Events that are read at once: more would occupy the event loop too long. */
const COUNTED_PER_BATCH = 5_000;

/**
 * Counts the events of a project, or of an author in projects that the caller sees, by day and target. Does not check whether the
 * caller may see the targets. index: activity_events_by_project, activity_events_by_author, activity_events_by_author_project
 */
export async function countEventsByDay(
  db: Reader,
  caller: Caller,
  feed: { readonly projectId: number } | { readonly authorId: number },
  eventQuery: Pick<EventQuery, 'filter' | 'expiredUntil'>,
): Promise<EventCount[]> {
  const events = orderEvents(selectFilteredEvents(db, { ...eventQuery, sort: 'desc' }), { sort: 'desc' });
  const isAdmin = isAdministrator(caller);
  const visibleIds = 'authorId' in feed && !isAdmin ? await listProjectIdsOfAuthor(db, caller, feed.authorId) : [];
  if ('authorId' in feed && !isAdmin && visibleIds.length === 0) return [];
  const visibleProjects =
    visibleIds.length <= MAX_SINGLE_PROJECT_LOOKUPS
      ? sql`(${sql.join(visibleIds)})`
      : sql`(${db.selectFrom('projects').select('projects.id').where(projectVisibleTo(caller, db.today))})`;
  const newestEvents =
    'projectId' in feed
      ? events.where('project_id', '=', feed.projectId)
      : events
          .where('author_id', '=', feed.authorId)
          .$if(!isAdmin, (query) => query.where(sql<SqlBool>`project_id in ${visibleProjects}`));
  const counts = new Map<string, EventCount & { count: number }>();
  for await (const batch of listCountedEvents(newestEvents)) {
    for (const { created_at, project_id, target_type, target_id } of batch) {
      const day = created_at.slice(0, 10);
      const key = `${day} ${project_id} ${target_type} ${target_id}`;
      const counted = counts.get(key);
      if (counted === undefined) counts.set(key, { day, project_id, target_type, target_id, count: 1 });
      else counted.count++;
    }
  }
  return [...counts.values()];
}

/** Yields the events that are counted, in batches. */
async function* listCountedEvents(newestEvents: Events) {
  const query = newestEvents
    .clearSelect()
    .select(['activity_events.id', 'created_at', 'project_id', 'target_type', 'target_id']);
  let last: Columns<'activity_events', 'id' | 'created_at'> | undefined;
  for (let read = 0; read < MAX_COUNTED_EVENTS; read += COUNTED_PER_BATCH) {
    const position = last && sql<SqlBool>`(created_at, activity_events.id) < (${last.created_at}, ${last.id})`;
    const batch = await (position === undefined ? query : query.where(position))
      .limit(COUNTED_PER_BATCH)
      .modifyEnd(LONG_RUNNING)
      .execute();
    yield batch;
    if (batch.length < COUNTED_PER_BATCH) return;
    last = batch.at(-1);
  }
}
