import { ofUser } from '#api/namespaces/projects/index.ts';
import { signedIn } from '#http/access/access.ts';
import { inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { anything, date, oneOf } from '#http/parameters/types.ts';
import { ActivityEvent } from './entities.ts';
import { hidesActivity, readFeed } from './feed.ts';
import { ACTIONS, TARGETS } from './filter.ts';

// What users did, as far as the caller may know (contract/activity.md Part 1).

const filters = {
  action: optional(oneOf(...ACTIONS)),
  target_type: optional(oneOf(...TARGETS)),
  before: optional(date),
  after: optional(date),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};

export const listEvents = endpoint({
  get: '/events',
  summary: 'List what the caller has done, or what was done in his projects',
  access: signedIn(),
  scopes: ['read_user'],
  // Any value but `all` is ignored, whatever it is.
  params: { ...filters, scope: optional(anything) },
  response: page(ActivityEvent),
  read: (db, { caller, params, page, base }) =>
    readFeed(db, caller, params.scope === 'all' ? { memberId: caller.user.id } : { authorId: caller.user.id }, {
      ...params,
      page,
      base,
    }),
});

export const listUserEvents = endpoint({
  get: '/users/:user_id/events',
  summary: 'List what a user has done, of what the caller may see',
  access: ofUser(),
  scopes: ['read_user'],
  params: filters,
  response: page(ActivityEvent),
  read: (db, { caller, user, params, page, base }) =>
    hidesActivity(caller, user)
      ? { items: [], total: 0, more: false }
      : readFeed(db, caller, { authorId: user.id }, { ...params, page, base }),
});

export const listProjectEvents = endpoint({
  get: '/projects/:id/events',
  summary: 'List what was done in a project',
  access: inPublicProject('read_project'),
  params: filters,
  response: page(ActivityEvent),
  read: (db, { caller, project, params, page, base }) =>
    readFeed(db, caller, { projectId: project.id }, { ...params, page, base }),
});
