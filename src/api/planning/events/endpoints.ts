import { userAccess } from '#api/namespaces/projects/index.ts';
import { signedIn } from '#http/access/access.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { anyValue, date, oneOf } from '#http/parameters/types.ts';
import { ActivityEvent } from './entities.ts';
import { isActivityHidden, listFeed } from './feed.ts';
import { EVENT_ACTIONS, EVENT_TARGETS } from './filter.ts';

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
