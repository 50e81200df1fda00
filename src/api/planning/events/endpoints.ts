import { getActivityRetentionLimit } from '#activity/index.ts';
import { isProfileVisibleTo } from '#api/identity/users/index.ts';
import { userAccess } from '#api/namespaces/projects/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { findProjects } from '#domain/namespaces/projects.ts';
import { signedIn } from '#http/access/access.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { anyValue, date, oneOf } from '#http/parameters/types.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { addDays } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ActivityEvent, EventCounts } from './entities.ts';
import { countEventsByDay } from './event-counts.ts';
import { type EventWithTarget, loadEventTargets } from './event-targets.ts';
import { EVENT_ACTIONS, EVENT_TARGETS, type EventFilter, type Feed, hasEventBetween, listEventRows } from './store.ts';

/** Parameters of all event lists (contract/activity.md Part 1). */
const filterParams = {
  action: describe(optional(oneOf(...EVENT_ACTIONS)), 'Lists only events of this kind.'),
  target_type: describe(optional(oneOf(...EVENT_TARGETS)), 'Lists only events about this kind of object.'),
  before: describe(optional(date), 'Lists only events before this day (UTC), without it.'),
  after: describe(optional(date), 'Lists only events after this day (UTC), without it.'),
  sort: describe(optional(oneOf('asc', 'desc'), 'desc'), 'Order by time.'),
};

export const listEvents = endpoint({
  get: '/events',
  summary: 'List activity events of the caller',
  description:
    'Lists the events of the caller, newest first by default. Events whose target the caller may no longer see are removed from a page after it is cut, so pages can be short. Events are kept for three years.',
  access: signedIn(),
  scopes: ['read_user'],
  params: {
    ...filterParams,
    scope: describe(
      optional(anyValue),
      '`all` lists events of every author in the projects of which the caller is a member. Other values are ignored.',
    ),
  },
  response: page(ActivityEvent),
  read: (db, { caller, params, page, base }) =>
    listFeed(db, caller, params.scope === 'all' ? { memberId: caller.user.id } : { authorId: caller.user.id }, {
      ...params,
      page,
      base,
    }),
});

export const listUserEvents = endpoint({
  get: '/users/:user_id/events',
  summary: 'List activity events of a user',
  description:
    'Lists the events of the user in projects that the caller can see, newest first by default. The list is empty for private profiles and unconfirmed users. Events whose target the caller may not see are removed from a page after it is cut, so pages can be short.',
  access: userAccess(),
  scopes: ['read_user'],
  params: filterParams,
  response: page(ActivityEvent),
  read: (db, { caller, user, params, page, base }) =>
    isActivityHidden(caller, user)
      ? { items: [], total: 0, hasMore: false }
      : listFeed(db, caller, { authorId: user.id }, { ...params, page, base }),
});

export const listProjectEvents = endpoint({
  get: '/projects/:id/events',
  summary: 'List activity events of a project',
  description:
    'Lists what users have done in the project, newest first by default. Events whose target the caller may not see are removed from a page after it is cut, so pages can be short.',
  access: inProjectAllowingAnonymous('read_project'),
  params: filterParams,
  response: page(ActivityEvent),
  read: (db, { caller, project, params, page, base }) =>
    listFeed(db, caller, { projectId: project.id }, { ...params, page, base }),
});

/** Parameters of the counts. */
const countParams = {
  before: describe(
    optional(date),
    'Counts only events before this day (UTC), without it; by default also those of today.',
  ),
  after: describe(optional(date), 'Counts only events after this day (UTC), without it; by default those of 366 days.'),
};

const COUNT_ERRORS = { tooLong: [400, { error: 'after and before are more than 366 days apart' }] } as const;

export const countUserEvents = endpoint({
  get: '/users/:user_id/event_counts',
  summary: 'Get activity counts of a user by day',
  description:
    'Returns the number of events of the user for each day that has any, of those that the caller may see, as a calendar shows them. Private profiles and unconfirmed users have none. Of more than 50,000 events, the newest count.',
  access: userAccess(),
  scopes: ['read_user'],
  params: countParams,
  errors: COUNT_ERRORS,
  response: ok(EventCounts),
  read: (db, { caller, user, params, base }) =>
    isActivityHidden(caller, user) ? {} : countFeed(db, caller, { authorId: user.id }, { ...params, base }),
});

export const countProjectEvents = endpoint({
  get: '/projects/:id/event_counts',
  summary: 'Get activity counts of a project by day',
  description:
    'Returns the number of events of the project for each day that has any, of those that the caller may see. Of more than 50,000 events, the newest count.',
  access: inProjectAllowingAnonymous('read_project'),
  params: countParams,
  errors: COUNT_ERRORS,
  response: ok(EventCounts),
  read: (db, { caller, project, params, base }) =>
    countFeed(db, caller, { projectId: project.id }, { ...params, base }),
});

interface FeedParams extends EventFilter {
  readonly sort: 'asc' | 'desc';
  readonly page: OffsetRequest;
  readonly base: ServerContext;
}

/** Returns one page of a feed. Events that the caller may not see are removed from the page, so it can be short. */
async function listFeed(
  db: Reader,
  caller: Caller,
  feed: Feed,
  { page, base, sort, ...filter }: FeedParams,
): Promise<ListPage<EventWithTarget>> {
  const expiredUntil = await resolveExpiredUntil(db, base);
  const result = await listEventRows(db, caller, feed, { filter, expiredUntil, sort }, page);
  const projectIds = [...new Set(result.items.map(({ project_id }) => project_id))];
  const projectsById = new Map((await findProjects(db, caller, projectIds)).map((project) => [project.id, project]));
  const events = result.items.flatMap((event) => {
    const project = projectsById.get(event.project_id);
    return project === undefined ? [] : [{ event, project }];
  });
  return { ...result, items: await loadEventTargets(db, caller, events) };
}

/** Maximum number of days that are counted. */
const MAX_COUNTED_DAYS = 366;

/** Targets that are checked with one query. */
const TARGETS_PER_BATCH = 500;

/** Returns the number of events of each day that the caller may see, as the list of the same feed shows them. */
async function countFeed(
  db: Reader,
  caller: Caller,
  feed: Parameters<typeof countEventsByDay>[2],
  { before, after, base }: Pick<EventFilter, 'before' | 'after'> & { readonly base: ServerContext },
): Promise<Record<string, number> | Failure<'tooLong'>> {
  const end = before ?? addDays(db.today, 1);
  // Neither of the two days counts.
  const firstStart = addDays(end, -MAX_COUNTED_DAYS - 1);
  if (after && after < firstStart) return fail('tooLong');
  const filter = { before, after: after ?? firstStart };
  const expiredUntil = await resolveExpiredUntil(db, base);
  const counts = await countEventsByDay(db, caller, feed, { filter, expiredUntil });
  const projectIds = [...new Set(counts.map(({ project_id }) => project_id))];
  const projectsById = new Map((await findProjects(db, caller, projectIds)).map((project) => [project.id, project]));
  const totals = new Map<string, number>();
  for (let start = 0; start < counts.length; start += TARGETS_PER_BATCH) {
    const events = counts.slice(start, start + TARGETS_PER_BATCH).flatMap((event) => {
      const project = projectsById.get(event.project_id);
      return project === undefined ? [] : [{ event, project }];
    });
    for (const { event } of await loadEventTargets(db, caller, events))
      totals.set(event.day, (totals.get(event.day) ?? 0) + event.count);
  }
  return Object.fromEntries([...totals].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Returns the time up to which events have expired. The result depends on the clock only if an event expires today. Otherwise the
 * start of the day gives the same events, and the response can be cached.
 */
async function resolveExpiredUntil(db: Reader, base: ServerContext): Promise<string> {
  const limitAtDayStart = getActivityRetentionLimit(`${db.today}T00:00:00.000Z`);
  const limitAtDayEnd = getActivityRetentionLimit(`${db.today}T23:59:59.999Z`);
  const expiresToday = await hasEventBetween(db, limitAtDayStart, limitAtDayEnd);
  return expiresToday ? getActivityRetentionLimit(base.now) : limitAtDayStart;
}

/** Returns whether the activity of a user is hidden: private and unconfirmed users are visible to themselves and administrators only. */
function isActivityHidden(caller: Caller, user: User): boolean {
  if (!isProfileVisibleTo(caller, user)) return true;
  const mayReadUnconfirmed = isAdministrator(caller) || caller.user?.id === user.id;
  return !mayReadUnconfirmed && user.confirmed_at === null && !user.bot;
}
