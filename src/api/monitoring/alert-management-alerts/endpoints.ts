import { Issue } from '#api/planning/issues/index.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok, page } from '#http/endpoint/responses.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { atLeastOne, describe, optional, required } from '#http/parameters/declarations.ts';
import { longText, searchExpression, string } from '#http/parameters/texts.ts';
import { absentIfBlank, commaSeparated, integer, notBlank, oneOf } from '#http/parameters/types.ts';
import { alertsLockKey } from '../alerts/index.ts';
import { createIncidentFromAlert } from '../incidents/index.ts';
import { Alert, AlertInList, AlertNote, AlertStatusCounts } from './entities.ts';
import { ALERT_SORTS, countAlertsByStatus, findAlert, insertNote, listAlertPage, listNotes } from './store.ts';
import { updateAlert } from './update.ts';

// Endpoints of a project's alerts (contract/monitoring.md §6).

const alertStatus = oneOf('triggered', 'acknowledged', 'resolved', 'ignored');

const filterParams = {
  search: describe(
    optional(absentIfBlank(searchExpression)),
    'Words that must all occur in one of title, description, monitoring tool and service.',
  ),
  assignee_username: optional(absentIfBlank(string)),
};

/** Loads the alert that the path names. */
const alertResource = {
  name: 'alert',
  params: { alert_iid: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly alert_iid: number }>, { project }: { readonly project: Project }) =>
    findAlert(db, project, params.alert_iid),
  notFound: () => notFound('Alert'),
} as const;

const readAccess = inProject('read_alert_management_alert');
const updateAccess = inProject('update_alert_management_alert').resource(alertResource);

export const listAlerts = endpoint({
  get: '/projects/:id/alert_management_alerts',
  summary: 'List the alerts of a project',
  description:
    'Returns alerts of all statuses unless `status` is sent, ordered by start time, newest first, unless `sort` says otherwise. Alerts that have not ended are last in the orders by end time.',
  access: readAccess,
  params: {
    status: describe(optional(commaSeparated(alertStatus)), 'One or several statuses; by default all.'),
    ...filterParams,
    sort: optional(oneOf(...ALERT_SORTS), 'started_at_desc'),
  },
  response: page(AlertInList),
  read: (db, { project, params, page }) => listAlertPage(db, project, params, page),
});

export const countAlerts = endpoint({
  get: '/projects/:id/alert_management_alerts/status_counts',
  summary: 'Get alert counts by status',
  description:
    'Returns the number of alerts in each status, of all alerts, and of open ones, which are triggered or acknowledged.',
  access: readAccess,
  params: filterParams,
  response: ok(AlertStatusCounts),
  read: (db, { project, params }) => countAlertsByStatus(db, project, params),
});

export const getAlert = endpoint({
  get: '/projects/:id/alert_management_alerts/:alert_iid',
  summary: 'Get an alert',
  description:
    'Returns the alert with the payload as it was received, and its fields flattened to dotted keys in `details`.',
  access: readAccess.resource(alertResource),
  response: ok(Alert),
  read: (_db, { alert }) => alert,
});

export const updateAlertManagementAlert = endpoint({
  put: '/projects/:id/alert_management_alerts/:alert_iid',
  summary: 'Update an alert',
  description:
    'Changes the status or the assignee, and adds system notes about the changes. Resolving sets the end time, any other status clears it; a linked incident stays open. An alert cannot be reopened while another one with its fingerprint is unresolved: the response is 409.',
  access: updateAccess,
  params: {
    status: optional(alertStatus),
    assignee_ids: describe(
      optional(commaSeparated(integer)),
      'Only the first user is assigned; an empty list removes the assignee.',
    ),
    assignee_usernames: describe(
      optional(commaSeparated(string)),
      'Only the first user is assigned; an empty list removes the assignee.',
    ),
  },
  rules: [atLeastOne('status', 'assignee_ids', 'assignee_usernames')],
  lock: ({ project }) => alertsLockKey(project.id),
  errors: {
    notFound: [404, '404 Alert Not Found'],
    assigneeMayNotRead: [400, 'Assignee has no permissions'],
    duplicateOpenAlert: [
      409,
      'An alert with the same fingerprint is already open. To change the status of this alert, resolve the linked alert.',
    ],
  },
  uniqueErrors: { alerts_unresolved_by_fingerprint: 'duplicateOpenAlert' },
  response: ok(Alert),
  write: (uow, { project, alert, params }) => updateAlert(uow, project, alert, params),
});

export const listAlertNotes = endpoint({
  get: '/projects/:id/alert_management_alerts/:alert_iid/notes',
  summary: 'List the notes of an alert',
  description: 'Returns comments and system notes, oldest first by default.',
  access: readAccess.resource(alertResource),
  params: { sort: optional(oneOf('asc', 'desc'), 'asc') },
  response: page(AlertNote),
  read: (db, { alert, params, page }) => listNotes(db, alert, params.sort, page),
});

export const createAlertNote = endpoint({
  post: '/projects/:id/alert_management_alerts/:alert_iid/notes',
  summary: 'Create a note on an alert',
  description: 'Adds a comment by the caller. System notes cannot be created.',
  access: updateAccess,
  params: { body: required(notBlank(longText)) },
  response: created(AlertNote),
  write: (uow, { alert, caller, params: { body } }) => insertNote(uow, alert, { authorId: caller.user.id, body }),
});

export const createAlertIssue = endpoint({
  post: '/projects/:id/alert_management_alerts/:alert_iid/issue',
  summary: 'Create an incident from an alert',
  description:
    'Creates an issue of type `incident` whose author is the caller, links it to the alert, and returns it. An alert has at most one incident: if it has one, the response is 409.',
  access: updateAccess
    .require(({ caller }, { project }) => {
      if (!mayInProject(caller, 'create_issue', project)) throw forbidden();
    })
    .withLabel('project:update_alert_management_alert + project:create_issue'),
  errors: { hasIncident: [409, 'An issue already exists'] },
  activity: ['created Issue'],
  response: created(Issue),
  handle: ({ project, alert, caller, base }, services) =>
    createIncidentFromAlert(services, caller, { project, alertId: alert.id, url: base.url }),
});
