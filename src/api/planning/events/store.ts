import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { projectVisibleTo, projectWithRoleIndexed } from '#authorization/visibility.ts';
import type { Columns, Reader, Schema } from '#database/database.ts';
import { isInSubquery } from '#database/dialect.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { COUNT_LIMIT, hasRow, type Page, paginate } from '#database/page.ts';
import type { ActivityAction, ActivityTargetType } from '#database/schema.ts';
import { ANY_ROLE } from '#domain/members/roles.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type ActivityEventRow = Columns<'activity_events'>;

/** The events of one project, of one author in all projects that the caller sees, or of all projects of a member. */
export type Feed = { readonly projectId: number } | { readonly authorId: number } | { readonly memberId: number };

export interface EventQuery {
  readonly filter: EventFilter;
  /** Time up to which events have expired: an exclusive lower bound of `created_at`. */
  readonly expiredUntil: string;
  readonly sort: 'asc' | 'desc';
}

/** Returns one page of a feed in time order. Does not check whether the caller may see the target of each event. */
export function listEventRows(
  db: Reader,
  caller: Caller,
  feed: Feed,
  eventQuery: EventQuery,
  page: OffsetRequest,
): Promise<Page<ActivityEventRow>> {
  if ('memberId' in feed) {
    const memberProjects = db.selectFrom('projects').where(projectWithRoleIndexed(db, feed.memberId, ANY_ROLE));
    return listEventsOfProjects(db, memberProjects, null, eventQuery, page);
  }
  if ('authorId' in feed) return listEventsOfAuthor(db, caller, feed.authorId, eventQuery, page);
  // index: activity_events_by_project, activity_events_by_project_action, activity_events_by_project_target
  return paginate(
    db,
    orderEvents(selectFilteredEvents(db, eventQuery).where('project_id', '=', feed.projectId), eventQuery),
    page,
  );
}

export function selectFilteredEvents(db: Reader, { filter, expiredUntil }: EventQuery) {
  return db
    .selectFrom('activity_events')
    .selectAll('activity_events')
    .where(eventCondition('activity_events', filter, expiredUntil));
}

/**
 * Maximum number of visible projects for which an author's events are looked up project by project. A scan of all events of the
 * author could read very many in hidden projects first.
 */
export const MAX_SINGLE_PROJECT_LOOKUPS = 50;

async function listEventsOfAuthor(
  db: Reader,
  caller: Caller,
  authorId: number,
  eventQuery: EventQuery,
  page: OffsetRequest,
): Promise<Page<ActivityEventRow>> {
  // index: activity_events_by_author, activity_events_by_author_action, activity_events_by_author_target
  const authorEvents = selectFilteredEvents(db, eventQuery).where('author_id', '=', authorId);
  if (isAdministrator(caller)) return paginate(db, orderEvents(authorEvents, eventQuery), page);
  const visibleProjectIds = await listProjectIdsOfAuthor(db, caller, authorId);
  if (visibleProjectIds.length === 0) return { items: [], total: 0, hasMore: false };
  if (visibleProjectIds.length <= MAX_SINGLE_PROJECT_LOOKUPS) {
    return listEventsOfProjects(
      db,
      db.selectFrom('projects').where('projects.id', 'in', visibleProjectIds),
      authorId,
      eventQuery,
      page,
    );
  }
  const visibleEvents = authorEvents
    .innerJoin('projects', 'projects.id', 'activity_events.project_id')
    .where(projectVisibleTo(caller, db.today));
  return paginate(db, orderEvents(visibleEvents, eventQuery), page);
}

/**
 * Returns the ids of the visible projects in which the author has events. A recursive query finds each next project with one index seek
 * (a loose index scan).
 * index: activity_events_by_author_project
 */
export async function listProjectIdsOfAuthor(db: Reader, caller: Caller, authorId: number): Promise<number[]> {
  const selectMinProjectId = sql`select min(project_id) from activity_events where author_id = ${authorId}`;
  const authorProjectIds = sql<{ id: number }>`(with recursive author_projects(id) as (
    ${selectMinProjectId} union all select (${selectMinProjectId} and project_id > author_projects.id) from author_projects
    where author_projects.id is not null
  ) select id from author_projects)`;
  const rows = await db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<SqlBool>`projects.id in ${authorProjectIds}`)
    .where(projectVisibleTo(caller, db.today))
    .limit(MAX_SINGLE_PROJECT_LOOKUPS + 1)
    .execute();
  return rows.map(({ id }) => id);
}

export type Events = SelectQueryBuilder<Schema, 'activity_events', ActivityEventRow>;

/** Sorts a query of events. `unknown` accepts queries whose type has additional joined tables. */
export function orderEvents(events: unknown, { sort }: Pick<EventQuery, 'sort'>): Events {
  return (events as Events).orderBy('activity_events.created_at', sort).orderBy('activity_events.id', sort);
}

/** Pages up to this offset are merged from the first events of each project. Later pages scan events in time order. */
const MAX_MERGE_OFFSET = 100;

/** Returns one page of the events of these projects, optionally of one author. */
async function listEventsOfProjects(
  db: Reader,
  projects: Projects,
  authorId: number | null,
  eventQuery: EventQuery,
  { page, perPage }: OffsetRequest,
): Promise<Page<ActivityEventRow>> {
  const offset = (page - 1) * perPage;
  const total = await countEvents(db, projects, authorId, eventQuery);
  // The list ends before this page. A total above `COUNT_LIMIT` is not exact: then the page must be queried.
  if (total <= Math.min(offset, COUNT_LIMIT)) return { items: [], total, hasMore: false };
  const eventsQuery =
    offset > MAX_MERGE_OFFSET && total > COUNT_LIMIT
      ? selectEventsInTimeOrder(db, projects, authorId, eventQuery)
      : selectFirstEventsPerProject(db, projects, authorId, eventQuery, offset + perPage + 1);
  const items = await orderEvents(eventsQuery, eventQuery)
    .limit(perPage + 1)
    .offset(offset)
    .modifyEnd(LONG_RUNNING)
    .execute();
  const hasMore = items.length > perPage;
  return { items: items.slice(0, perPage), total: total > COUNT_LIMIT ? null : total, hasMore };
}

type Projects = SelectQueryBuilder<Schema, 'projects', object>;

/**
 * Selects the first `limit` events of each project, which include the first `limit` events of the list. The cost grows with the
 * number of projects, not of events.
 * index: activity_events_by_project, activity_events_by_project_action, activity_events_by_project_target,
 * activity_events_by_author_project
 */
function selectFirstEventsPerProject(
  db: Reader,
  projects: Projects,
  authorId: number | null,
  { filter, expiredUntil, sort }: EventQuery,
  limit: number,
) {
  const firstEventIds = db
    .selectFrom('activity_events as first_event')
    .select('first_event.id')
    .where('first_event.project_id', '=', sql.ref<number>('projects.id'))
    .where(eventCondition('first_event', filter, expiredUntil))
    .$if(authorId !== null, (query) => query.where('first_event.author_id', '=', authorId))
    .orderBy('first_event.created_at', sort)
    .orderBy('first_event.id', sort)
    .limit(limit);
  return projects
    .innerJoin('activity_events', (join) =>
      join.on(isInSubquery(db, sql.ref<number>('activity_events.id'), firstEventIds)),
    )
    .selectAll('activity_events');
}

/** Scans all events in time order and skips other projects. index: activity_events_by_created_at, activity_events_by_author */
function selectEventsInTimeOrder(db: Reader, projects: Projects, authorId: number | null, eventQuery: EventQuery) {
  // An expression prevents the use of an index on project_id.
  const unindexedProjectId = sql<number>`(activity_events.project_id + 0)`;
  return selectFilteredEvents(db, eventQuery)
    .where(sql<SqlBool>`${unindexedProjectId} in ${projects.select('projects.id')}`)
    .$if(authorId !== null, (query) => query.where('activity_events.author_id', '=', authorId));
}

/**
 * Counts the events of these projects, up to `COUNT_LIMIT + 1`. The query counts per project: PostgreSQL would otherwise read
 * all events when it expects many matches.
 * index: activity_events_by_project, activity_events_by_author_project
 */
async function countEvents(
  db: Reader,
  projects: Projects,
  authorId: number | null,
  { filter, expiredUntil }: EventQuery,
): Promise<number> {
  const countQuery = db
    .selectFrom('activity_events as counted_event')
    .select(sql.lit(1).as('one'))
    .where(isInSubquery(db, sql.ref<number>('counted_event.project_id'), projects.select('projects.id')))
    .where(eventCondition('counted_event', filter, expiredUntil))
    .$if(authorId !== null, (query) => query.where('counted_event.author_id', '=', authorId))
    .limit(COUNT_LIMIT + 1);
  const { count } = await db
    .selectFrom(countQuery.as('counted'))
    .select(sql<number>`count(*)`.as('count'))
    .modifyEnd(LONG_RUNNING)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns whether an event exists after `afterTime` and at or before `untilTime`. index: activity_events_by_created_at */
export function hasEventBetween(db: Reader, afterTime: string, untilTime: string): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('activity_events')
      .select('activity_events.id')
      .where('created_at', '>', afterTime)
      .where('created_at', '<=', untilTime),
  );
}

/** Values of the `action` filter. */
export const EVENT_ACTIONS = [
  'created',
  'updated',
  'closed',
  'reopened',
  'pushed',
  'commented',
  'merged',
  'joined',
  'left',
  'destroyed',
  'expired',
  'approved',
] as const satisfies readonly ActivityAction[];

/** Values of the `target_type` filter. */
export const EVENT_TARGETS = [
  'issue',
  'milestone',
  'merge_request',
  'note',
  'project',
  'snippet',
  'user',
  'wiki',
  'design',
] as const;

/** Stored target type of each filter value. No events have the missing values. */
const TARGET_TYPES: Readonly<Partial<Record<(typeof EVENT_TARGETS)[number], ActivityTargetType>>> = {
  issue: 'Issue',
  milestone: 'Milestone',
  merge_request: 'MergeRequest',
  note: 'Note',
  project: 'Project',
  wiki: 'WikiPage::Meta',
};

/** Filters of the request. Absent and null filters have no effect. */
export interface EventFilter {
  readonly action?: ActivityAction | null | undefined;
  readonly target_type?: (typeof EVENT_TARGETS)[number] | null | undefined;
  /** `YYYY-MM-DD`, exclusive, like `after`. */
  readonly before?: string | null | undefined;
  readonly after?: string | null | undefined;
}

/** Returns the SQL condition for events that match the filter and have not expired. `table` is the alias of `activity_events`. */
function eventCondition(table: string, filter: EventFilter, expiredUntil: string): Expression<SqlBool> {
  const { action, target_type, before, after } = filter;
  const column = (name: string) => sql.ref(`${table}.${name}`);
  // A single lower bound: given two, SQLite uses the first one for the index even if it is less selective.
  const lowerBound = after && endOfDay(after) > expiredUntil ? endOfDay(after) : expiredUntil;
  const conditions = [sql<SqlBool>`${column('created_at')} > ${lowerBound}`];
  if (action) conditions.push(sql`${column('action')} = ${action}`);
  if (target_type) {
    const type = TARGET_TYPES[target_type];
    conditions.push(type === undefined ? sql`1 = 0` : sql`${column('target_type')} = ${type}`);
  }
  if (before) conditions.push(sql`${column('created_at')} < ${startOfDay(before)}`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}

const startOfDay = (day: string) => `${day}T00:00:00.000Z`;
const endOfDay = (day: string) => `${day}T23:59:59.999Z`;
