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
import { optional } from '#http/parameters/declarations.ts';
import { anyValue, date, oneOf } from '#http/parameters/types.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { ActivityEvent } from './entities.ts';
import { type EventWithTarget, loadEventTargets } from './event-targets.ts';
import { EVENT_ACTIONS, EVENT_TARGETS, type EventFilter, type Feed, hasEventBetween, listEventRows } from './store.ts';

/** Parameters of all event lists (contract/activity.md Part 1). */
const filters = {
  action: optional(oneOf(...EVENT_ACTIONS)),
  target_type: optional(oneOf(...EVENT_TARGETS)),
  before: optional(date),
  after: optional(date),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};

export const listEvents = endpoint({
  get: '/events',
  summary: 'List activity events of the caller',
  access: signedIn(),
  scopes: ['read_user'],
  // Any value except `all` is ignored.
  params: { ...filters, scope: optional(anyValue) },
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
  access: userAccess(),
  scopes: ['read_user'],
  params: filters,
  response: page(ActivityEvent),
  read: (db, { caller, user, params, page, base }) =>
    isActivityHidden(caller, user)
      ? { items: [], total: 0, hasMore: false }
      : listFeed(db, caller, { authorId: user.id }, { ...params, page, base }),
});

export const listProjectEvents = endpoint({
  get: '/projects/:id/events',
  summary: 'List activity events of a project',
  access: inProjectAllowingAnonymous('read_project'),
  params: filters,
  response: page(ActivityEvent),
  read: (db, { caller, project, params, page, base }) =>
    listFeed(db, caller, { projectId: project.id }, { ...params, page, base }),
});

interface FeedParams extends EventFilter {
  readonly sort: 'asc' | 'desc';
  readonly page: OffsetRequest;
  readonly base: ServerContext;
}

/** Returns one page of a feed. Events that the caller may not see are removed after the page is cut, so a page can be short. */
async function listFeed(
  db: Reader,
  caller: Caller,
  feed: Feed,
  { page, base, sort, ...filter }: FeedParams,
): Promise<ListPage<EventWithTarget>> {
  const horizon = await resolveHorizon(db, base);
  const result = await listEventRows(db, caller, feed, { filter, horizon, sort }, page);
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
async function resolveHorizon(db: Reader, base: ServerContext): Promise<string> {
  const [horizonAtDayStart, horizonAtDayEnd] = ['T00:00:00.000Z', 'T23:59:59.999Z'].map((time) =>
    getActivityRetentionLimit(`${db.today}${time}`),
  ) as [string, string];
  return (await hasEventBetween(db, horizonAtDayStart, horizonAtDayEnd))
    ? getActivityRetentionLimit(base.now)
    : horizonAtDayStart;
}

/** Returns whether the activity of a user is hidden: private and unconfirmed users are visible to themselves and administrators only. */
function isActivityHidden(caller: Caller, user: User): boolean {
  if (!isProfileVisibleTo(caller, user)) return true;
  const mayReadUnconfirmed = isAdministrator(caller) || caller.user?.id === user.id;
  return !mayReadUnconfirmed && user.confirmed_at === null && !user.bot;
}
