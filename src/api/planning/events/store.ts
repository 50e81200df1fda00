import { type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { projectGatheredByRole, projectVisibleTo } from '#authorization/visibility-conditions.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isAmongFound } from '#database/dialect.ts';
import { mayBeLong } from '#database/engines/long-statements.ts';
import { hasRow } from '#database/has-row.ts';
import { countLimit, type Page, paged } from '#database/page.ts';
import type { ActivityEventsTable } from '#database/tables/activity.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { conditionsOf, type Filter } from './filter.ts';

export type EventRow = Selectable<ActivityEventsTable>;

/** Of one project, of one author wherever the caller sees it, or of all projects of a member. */
export type Feed = { readonly projectId: number } | { readonly authorId: number } | { readonly memberId: number };

interface Wanted {
  readonly filter: Filter;
  /** Only what is later. */
  readonly horizon: string;
  readonly sort: 'asc' | 'desc';
}

/** One page of a feed by time, whatever of it the caller may know. */
export function pageOfEvents(
  db: Reader,
  caller: Caller,
  feed: Feed,
  wanted: Wanted,
  page: OffsetRequest,
): Promise<Page<EventRow>> {
  if ('memberId' in feed) {
    const inProjects = db.selectFrom('projects').where(projectGatheredByRole(db, feed.memberId, 1));
    return pageOfProjects(db, inProjects, null, wanted, page);
  }
  if ('authorId' in feed) return pageOfAuthor(db, caller, feed.authorId, wanted, page);
  // index: activity_events_by_project, activity_events_by_project_action, activity_events_by_project_target
  return paged(db, inOrder(eventsWanted(db, wanted).where('project_id', '=', feed.projectId), wanted), page);
}

function eventsWanted(db: Reader, { filter, horizon }: Wanted) {
  return db
    .selectFrom('activity_events')
    .selectAll('activity_events')
    .where(conditionsOf('activity_events', filter, horizon));
}

/** Events in so few projects are looked for project by project: of all that somebody has done these may be the least part. */
const FEW = 50;

async function pageOfAuthor(
  db: Reader,
  caller: Caller,
  authorId: number,
  wanted: Wanted,
  page: OffsetRequest,
): Promise<Page<EventRow>> {
  // index: activity_events_by_author, activity_events_by_author_action, activity_events_by_author_target
  const own = eventsWanted(db, wanted).where('author_id', '=', authorId);
  if (isAdministrator(caller)) return paged(db, inOrder(own, wanted), page);
  const seen = await projectsOfAuthor(db, caller, authorId);
  if (seen.length === 0) return { items: [], total: 0, more: false };
  if (seen.length <= FEW) {
    return pageOfProjects(db, db.selectFrom('projects').where('projects.id', 'in', seen), authorId, wanted, page);
  }
  const visible = own
    .innerJoin('projects', 'projects.id', 'activity_events.project_id')
    .where(projectVisibleTo(caller, db.today));
  return paged(db, inOrder(visible, wanted), page);
}

/** The projects that the caller sees of those in which somebody has done something, each found behind the one before. index: activity_events_by_author_project */
async function projectsOfAuthor(db: Reader, caller: Caller, authorId: number): Promise<number[]> {
  const next = sql`select min(project_id) from activity_events where author_id = ${authorId}`;
  const each = sql<{ id: number }>`(with recursive found(id) as (
    ${next} union all select (${next} and project_id > found.id) from found where found.id is not null
  ) select id from found)`;
  const rows = await db
    .selectFrom('projects')
    .select('projects.id')
    .where(sql<SqlBool>`projects.id in ${each}`)
    .where(projectVisibleTo(caller, db.today))
    .limit(FEW + 1)
    .execute();
  return rows.map(({ id }) => id);
}

type Events = SelectQueryBuilder<Schema, 'activity_events', EventRow>;

function inOrder(events: unknown, { sort }: Pick<Wanted, 'sort'>): Events {
  return (events as Events).orderBy('activity_events.created_at', sort).orderBy('activity_events.id', sort);
}

/** Behind so many events a page is no longer found by the first events of each project. */
const FAR = 100;

/** Of these projects; `authorId`: of what this one has done there. */
async function pageOfProjects(
  db: Reader,
  inProjects: Projects,
  authorId: number | null,
  wanted: Wanted,
  { page, perPage }: OffsetRequest,
): Promise<Page<EventRow>> {
  const before = (page - 1) * perPage;
  const total = await countOf(db, inProjects, authorId, wanted);
  if (total <= Math.min(before, countLimit)) return { items: [], total, more: false };
  const found =
    before > FAR && total > countLimit
      ? eventsBeside(db, inProjects, authorId, wanted)
      : firstEvents(db, inProjects, authorId, wanted, before + perPage + 1);
  const items = await inOrder(found, wanted)
    .limit(perPage + 1)
    .offset(before)
    .modifyEnd(mayBeLong)
    .execute();
  const more = items.length > perPage;
  return { items: items.slice(0, perPage), total: total > countLimit ? null : total, more };
}

type Projects = SelectQueryBuilder<Schema, 'projects', object>;

/**
 * So many of each project are enough to find as many of all: what it costs grows with the projects that one is a member of,
 * and not with what was done there.
 * index: activity_events_by_project, activity_events_by_project_action, activity_events_by_project_target,
 * activity_events_by_author_project
 */
function firstEvents(
  db: Reader,
  inProjects: Projects,
  authorId: number | null,
  { filter, horizon, sort }: Wanted,
  most: number,
) {
  const first = db
    .selectFrom('activity_events as first')
    .select('first.id')
    .where('first.project_id', '=', sql.ref<number>('projects.id'))
    .where(conditionsOf('first', filter, horizon))
    .$if(authorId !== null, (query) => query.where('first.author_id', '=', authorId))
    .orderBy('first.created_at', sort)
    .orderBy('first.id', sort)
    .limit(most);
  return inProjects
    .innerJoin('activity_events', (join) => join.on(isAmongFound(db, sql.ref<number>('activity_events.id'), first)))
    .selectAll('activity_events');
}

/** Of many: all events in their order, those of other projects passed over. index: activity_events_by_created_at, activity_events_by_author */
function eventsBeside(db: Reader, inProjects: Projects, authorId: number | null, wanted: Wanted) {
  // An expression, so that no index of projects is taken for it.
  const project = sql<number>`(activity_events.project_id + 0)`;
  return eventsWanted(db, wanted)
    .where(sql<SqlBool>`${project} in ${inProjects.select('projects.id')}`)
    .$if(authorId !== null, (query) => query.where('activity_events.author_id', '=', authorId));
}

/**
 * How many events these projects have, counted a little further than lists tell: project by project, for PostgreSQL would
 * rather read all events of all projects when it takes those for many.
 * index: activity_events_by_project, activity_events_by_author_project
 */
async function countOf(
  db: Reader,
  inProjects: Projects,
  authorId: number | null,
  { filter, horizon }: Wanted,
): Promise<number> {
  const counted = db
    .selectFrom('activity_events as some')
    .select(sql.lit(1).as('one'))
    .where(isAmongFound(db, sql.ref<number>('some.project_id'), inProjects.select('projects.id')))
    .where(conditionsOf('some', filter, horizon))
    .$if(authorId !== null, (query) => query.where('some.author_id', '=', authorId))
    .limit(countLimit + 1);
  const { count } = await db
    .selectFrom(counted.as('counted'))
    .select(sql<number>`count(*)`.as('count'))
    .modifyEnd(mayBeLong)
    .executeTakeFirstOrThrow();
  return count;
}

/** index: activity_events_by_created_at */
export function anyEventBetween(db: Reader, first: string, last: string): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('activity_events')
      .select('activity_events.id')
      .where('created_at', '>', first)
      .where('created_at', '<=', last),
  );
}
