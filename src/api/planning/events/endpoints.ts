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
import { page } from '#http/endpoint/responses.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { anyValue, date, oneOf } from '#http/parameters/types.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { ActivityEvent } from './entities.ts';
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
    'Lists what the caller has done, newest first by default. Events whose target the caller may no longer see are removed from a page after it is cut, so pages can be short. Events are kept for three years.',
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
    'Lists what the user has done in projects that the caller can see, newest first by default. The list is empty for private profiles and unconfirmed users. Events whose target the caller may not see are removed from a page after it is cut, so pages can be short.',
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
