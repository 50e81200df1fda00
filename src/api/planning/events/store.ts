import { type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { projectVisibleTo, projectWithRole } from '../../../access/visible.ts';
import type { Reader, Schema } from '../../../database/database.ts';
import { isAmongFound } from '../../../database/dialect.ts';
import { hasRow } from '../../../database/has-row.ts';
import { mayBeLong } from '../../../database/long-statements.ts';
import { countLimit, type Page, paged } from '../../../database/page.ts';
import type { ActivityEventsTable } from '../../../database/tables/history.ts';
import type { OffsetRequest } from '../../../http/lists/pagination.ts';
import { type Caller, isAdministrator } from '../../../identity/caller.ts';
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
  if ('memberId' in feed) return pageOfMember(db, feed.memberId, wanted, page);
  const events = db
    .selectFrom('activity_events')
    .selectAll('activity_events')
    .where(conditionsOf('activity_events', wanted.filter, wanted.horizon));
  // index: activity_events_by_project, activity_events_by_project_action, activity_events_by_project_target
  if ('projectId' in feed) return paged(db, inOrder(events.where('project_id', '=', feed.projectId), wanted), page);
  // index: activity_events_by_author, activity_events_by_author_action, activity_events_by_author_target
  const own = events.where('author_id', '=', feed.authorId);
  if (isAdministrator(caller)) return paged(db, inOrder(own, wanted), page);
  const seen = own
    .innerJoin('projects', 'projects.id', 'activity_events.project_id')
    .where(projectVisibleTo(caller, db.today));
  return paged(db, inOrder(seen, wanted), page);
}

type Events = SelectQueryBuilder<Schema, 'activity_events', EventRow>;

function inOrder(events: unknown, { sort }: Pick<Wanted, 'sort'>): Events {
  return (events as Events).orderBy('activity_events.created_at', sort).orderBy('activity_events.id', sort);
}

/** Behind so many events a page is no longer found by the first events of each project. */
const FAR = 100;

async function pageOfMember(
  db: Reader,
  memberId: number,
  wanted: Wanted,
  { page, perPage }: OffsetRequest,
): Promise<Page<EventRow>> {
  const before = (page - 1) * perPage;
  const inProjects = db.selectFrom('projects').where(projectWithRole(memberId, 1, db.today));
  const total = await countOf(db, inProjects, wanted);
  const found =
    before > FAR && total > countLimit
      ? eventsBeside(db, inProjects, wanted)
      : firstEvents(db, inProjects, wanted, before + perPage + 1);
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
 * index: activity_events_by_project, activity_events_by_project_action, activity_events_by_project_target
 */
function firstEvents(db: Reader, inProjects: Projects, { filter, horizon, sort }: Wanted, most: number) {
  const first = db
    .selectFrom('activity_events as first')
    .select('first.id')
    .where('first.project_id', '=', sql.ref<number>('projects.id'))
    .where(conditionsOf('first', filter, horizon))
    .orderBy('first.created_at', sort)
    .orderBy('first.id', sort)
    .limit(most);
  return inProjects
    .innerJoin('activity_events', (join) => join.on(isAmongFound(db, sql.ref<number>('activity_events.id'), first)))
    .selectAll('activity_events');
}

/** Of many: all events in their order, those of other projects passed over. index: activity_events_by_created_at */
function eventsBeside(db: Reader, inProjects: Projects, { filter, horizon }: Wanted) {
  // An expression, so that no index of projects is taken for it.
  const project = sql<number>`(activity_events.project_id + 0)`;
  return db
    .selectFrom('activity_events')
    .selectAll('activity_events')
    .where(sql<SqlBool>`${project} in ${inProjects.select('projects.id')}`)
    .where(conditionsOf('activity_events', filter, horizon));
}

/** How many events these projects have, counted a little further than lists tell. */
async function countOf(db: Reader, inProjects: Projects, { filter, horizon }: Wanted): Promise<number> {
  const counted = db
    .selectFrom('activity_events as some')
    .select(sql.lit(1).as('one'))
    .where('some.project_id', 'in', inProjects.select('projects.id'))
    .where(conditionsOf('some', filter, horizon))
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
