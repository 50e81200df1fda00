import { type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { projectVisibleTo, projectWithRoleIndexed } from '#authorization/visibility-conditions.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInSubquery } from '#database/dialect.ts';
import { longRunning } from '#database/engines/long-statements.ts';
import { hasRow } from '#database/has-row.ts';
import { COUNT_LIMIT, type Page, paginate } from '#database/page.ts';
import type { ActivityEventsTable } from '#database/tables/activity.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type EventFilter, eventCondition } from './filter.ts';

export type ActivityEventRow = Selectable<ActivityEventsTable>;

/** The events of one project, of one author in all projects that the caller sees, or of all projects of a member. */
export type Feed = { readonly projectId: number } | { readonly authorId: number } | { readonly memberId: number };

interface EventQuery {
  readonly filter: EventFilter;
  /** Exclusive lower bound of `created_at`. */
  readonly horizon: string;
  readonly sort: 'asc' | 'desc';
}

/** Returns one page of a feed by time, without a per-event access check. */
export function listEventRows(
  db: Reader,
  caller: Caller,
  feed: Feed,
  eventQuery: EventQuery,
  page: OffsetRequest,
): Promise<Page<ActivityEventRow>> {
  if ('memberId' in feed) {
    const inProjects = db.selectFrom('projects').where(projectWithRoleIndexed(db, feed.memberId, 1));
    return listEventsOfProjects(db, inProjects, null, eventQuery, page);
  }
  if ('authorId' in feed) return listEventsOfAuthor(db, caller, feed.authorId, eventQuery, page);
  // index: activity_events_by_project, activity_events_by_project_action, activity_events_by_project_target
  return paginate(
    db,
    orderEvents(filteredEvents(db, eventQuery).where('project_id', '=', feed.projectId), eventQuery),
    page,
  );
}

function filteredEvents(db: Reader, { filter, horizon }: EventQuery) {
  return db
    .selectFrom('activity_events')
    .selectAll('activity_events')
    .where(eventCondition('activity_events', filter, horizon));
}

/** Up to this number of visible projects, events of an author are searched per project, because most may be in hidden projects. */
const MAX_SINGLE_PROJECT_LOOKUPS = 50;

async function listEventsOfAuthor(
  db: Reader,
  caller: Caller,
  authorId: number,
  eventQuery: EventQuery,
  page: OffsetRequest,
): Promise<Page<ActivityEventRow>> {
  // index: activity_events_by_author, activity_events_by_author_action, activity_events_by_author_target
  const ownEvents = filteredEvents(db, eventQuery).where('author_id', '=', authorId);
  if (isAdministrator(caller)) return paginate(db, orderEvents(ownEvents, eventQuery), page);
  const visibleIds = await listProjectIdsOfAuthor(db, caller, authorId);
  if (visibleIds.length === 0) return { items: [], total: 0, more: false };
  if (visibleIds.length <= MAX_SINGLE_PROJECT_LOOKUPS) {
    return listEventsOfProjects(
      db,
      db.selectFrom('projects').where('projects.id', 'in', visibleIds),
      authorId,
      eventQuery,
      page,
    );
  }
  const visible = ownEvents
    .innerJoin('projects', 'projects.id', 'activity_events.project_id')
    .where(projectVisibleTo(caller, db.today));
  return paginate(db, orderEvents(visible, eventQuery), page);
}

/** Returns the visible projects in which the author has events. A recursive query skips from one project to the next. index: activity_events_by_author_project */
async function listProjectIdsOfAuthor(db: Reader, caller: Caller, authorId: number): Promise<number[]> {
  const next = sql`select min(project_id) from activity_events where author_id = ${authorId}`;
  const each = sql<{ id: number }>`(with recursive found(id) as (
    ${next} union all select (${next} and project_id > found.id) from found where found.id is not null
  ) select id from found)`;
  const rows = await db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<SqlBool>`projects.id in ${each}`)
    .where(projectVisibleTo(caller, db.today))
    .limit(MAX_SINGLE_PROJECT_LOOKUPS + 1)
    .execute();
  return rows.map(({ id }) => id);
}

type Events = SelectQueryBuilder<Schema, 'activity_events', ActivityEventRow>;

function orderEvents(events: unknown, { sort }: Pick<EventQuery, 'sort'>): Events {
  return (events as Events).orderBy('activity_events.created_at', sort).orderBy('activity_events.id', sort);
}

/** From this offset on, a page is read in time order instead of merging the first events of each project. */
const MAX_PER_PROJECT_OFFSET = 100;

/** Returns one page of the events of these projects, optionally of one author. */
async function listEventsOfProjects(
  db: Reader,
  inProjects: Projects,
  authorId: number | null,
  eventQuery: EventQuery,
  { page, perPage }: OffsetRequest,
): Promise<Page<ActivityEventRow>> {
  const before = (page - 1) * perPage;
  const total = await countEvents(db, inProjects, authorId, eventQuery);
  if (total <= Math.min(before, COUNT_LIMIT)) return { items: [], total, more: false };
  const eventsQuery =
    before > MAX_PER_PROJECT_OFFSET && total > COUNT_LIMIT
      ? eventsInTimeOrder(db, inProjects, authorId, eventQuery)
      : firstEventsPerProject(db, inProjects, authorId, eventQuery, before + perPage + 1);
  const items = await orderEvents(eventsQuery, eventQuery)
    .limit(perPage + 1)
    .offset(before)
    .modifyEnd(longRunning)
    .execute();
  const more = items.length > perPage;
  return { items: items.slice(0, perPage), total: total > COUNT_LIMIT ? null : total, more };
}

type Projects = SelectQueryBuilder<Schema, 'projects', object>;

/**
 * Selects the first `limit` events of each project, which include the first `limit` of all. The cost grows with the number of
 * projects, not of events.
 * index: activity_events_by_project, activity_events_by_project_action, activity_events_by_project_target,
 * activity_events_by_author_project
 */
function firstEventsPerProject(
  db: Reader,
  inProjects: Projects,
  authorId: number | null,
  { filter, horizon, sort }: EventQuery,
  limit: number,
) {
  const first = db
    .selectFrom('activity_events as first')
    .select('first.id')
    .where('first.project_id', '=', sql.ref<number>('projects.id'))
    .where(eventCondition('first', filter, horizon))
    .$if(authorId !== null, (query) => query.where('first.author_id', '=', authorId))
    .orderBy('first.created_at', sort)
    .orderBy('first.id', sort)
    .limit(limit);
  return inProjects
    .innerJoin('activity_events', (join) => join.on(isInSubquery(db, sql.ref<number>('activity_events.id'), first)))
    .selectAll('activity_events');
}

/** Scans all events in time order and skips other projects. index: activity_events_by_created_at, activity_events_by_author */
function eventsInTimeOrder(db: Reader, inProjects: Projects, authorId: number | null, eventQuery: EventQuery) {
  // An expression prevents the use of an index on project_id.
  const project = sql<number>`(activity_events.project_id + 0)`;
  return filteredEvents(db, eventQuery)
    .where(sql<SqlBool>`${project} in ${inProjects.select('projects.id')}`)
    .$if(authorId !== null, (query) => query.where('activity_events.author_id', '=', authorId));
}

/**
 * Counts the events of these projects, up to `countLimit + 1`. It counts per project, because PostgreSQL would otherwise read
 * all events when it expects many.
 * index: activity_events_by_project, activity_events_by_author_project
 */
async function countEvents(
  db: Reader,
  inProjects: Projects,
  authorId: number | null,
  { filter, horizon }: EventQuery,
): Promise<number> {
  const countQuery = db
    .selectFrom('activity_events as some')
    .select(sql.lit(1).as('one'))
    .where(isInSubquery(db, sql.ref<number>('some.project_id'), inProjects.select('projects.id')))
    .where(eventCondition('some', filter, horizon))
    .$if(authorId !== null, (query) => query.where('some.author_id', '=', authorId))
    .limit(COUNT_LIMIT + 1);
  const { count } = await db
    .selectFrom(countQuery.as('counted'))
    .select(sql<number>`count(*)`.as('count'))
    .modifyEnd(longRunning)
    .executeTakeFirstOrThrow();
  return count;
}

/** index: activity_events_by_created_at */
export function hasEventBetween(db: Reader, first: string, last: string): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('activity_events')
      .select('activity_events.id')
      .where('created_at', '>', first)
      .where('created_at', '<=', last),
  );
}
