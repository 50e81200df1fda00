import { buildErrorReportsLockKey } from '#domain/error-tracking.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { searchExpression } from '#http/parameters/texts.ts';
import { absentIfBlank, integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ErrorEvent, ErrorEventDetails, TrackedError, TrackedErrorDetails } from './entities.ts';
import { type ErrorRow, findError, findEvent, loadErrorPage, loadEventPage, SORTS, updateStatus } from './store.ts';

// Reported errors and their events (contract/monitoring.md §13).

const errorStatus = oneOf('unresolved', 'resolved', 'ignored');

/** Loads the error with the id in the path. */
const errorResource = {
  name: 'error',
  params: { error_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly error_id: number }>, { project }: { readonly project: Project }) =>
    findError(db, project, params.error_id),
  notFound: () => notFound('Error'),
} as const;

/** Loads the event of the error with the id in the path; the id `latest` selects the newest event. */
const eventResource = {
  name: 'event',
  load: ({ db, path }: AccessCall, { error }: { readonly error: ErrorRow }) =>
    findEvent(db, error, path.event_id ?? ''),
  notFound: () => notFound('Event'),
} as const;

export const listErrors = endpoint({
  get: '/projects/:id/error_tracking/errors',
  summary: 'List the errors of a project',
  description:
    'Returns unresolved errors unless `status` says otherwise. By default the errors that were seen last come first.',
  access: inProject('read_sentry_issue'),
  params: {
    status: optional(errorStatus, 'unresolved'),
    sort: describe(
      optional(oneOf(...SORTS), 'last_seen'),
      'Descending order by last report, first report, or number of reports.',
    ),
    search: describe(optional(absentIfBlank(searchExpression)), 'Part of the name, message or culprit.'),
  },
  response: page(TrackedError),
  read: (db, { project, params, page }) => loadErrorPage(db, project, params, page),
});

export const getError = endpoint({
  get: '/projects/:id/error_tracking/errors/:error_id',
  summary: 'Get an error',
  description:
    'Returns the error with its latest event, the releases and environments in which it occurred, and its frequency per hour during the last day.',
  access: inProject('read_sentry_issue').resource(errorResource),
  response: ok(TrackedErrorDetails),
  read: (_db, { error }) => error,
});

export const updateError = endpoint({
  put: '/projects/:id/error_tracking/errors/:error_id',
  summary: 'Update the status of an error',
  description:
    'A resolved error becomes unresolved again when a new event of it arrives; an ignored error stays ignored. Setting the current status again changes nothing.',
  access: inProject('update_sentry_issue').resource(errorResource),
  params: { status: required(errorStatus) },
  lock: ({ project }) => buildErrorReportsLockKey(project.id),
  errors: { notFound: [404, '404 Error Not Found'] },
  response: ok(TrackedErrorDetails),
  write: async (uow, { error, params }) => (await updateStatus(uow, error, params.status)) ?? fail('notFound'),
});

export const listErrorEvents = endpoint({
  get: '/projects/:id/error_tracking/errors/:error_id/events',
  summary: 'List the events of an error',
  description:
    'Returns the stored events with their stack traces, by time of occurrence, newest first by default. Events older than the retention period are deleted.',
  access: inProject('read_sentry_issue').resource(errorResource),
  params: { sort: describe(optional(oneOf('asc', 'desc'), 'desc'), 'The order by time of occurrence.') },
  response: page(ErrorEvent),
  read: (db, { error, params, page }) => loadEventPage(db, error.id, params.sort, page),
});

export const getErrorEvent = endpoint({
  get: '/projects/:id/error_tracking/errors/:error_id/events/:event_id',
  summary: 'Get an event of an error',
  description: 'Returns one event with the payload as the SDK sent it. The id `latest` selects the newest event.',
  access: inProject('read_sentry_issue').resource(errorResource).resource(eventResource),
  response: ok(ErrorEventDetails),
  read: (_db, { event }) => event,
});
