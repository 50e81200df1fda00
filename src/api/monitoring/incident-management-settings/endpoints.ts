import { Type } from 'typebox';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { atLeastOne, optional } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { getIncidentSettings } from './store.ts';
import { updateIncidentSettings } from './update.ts';

/** Endpoints for a project's incident management settings (contract/monitoring.md §7). */

const IncidentManagementSettings = entity('IncidentManagementSettings', {
  create_issue: Type.Boolean(),
  send_email: Type.Boolean(),
  auto_close_incident: Type.Boolean(),
  issue_template_key: nullable(Type.String()),
});

export const getIncidentManagementSettings = endpoint({
  get: '/projects/:id/incident_management_settings',
  summary: 'Get incident management settings',
  access: inProject('admin_operations'),
  response: ok(IncidentManagementSettings),
  read: (db, { project }) => getIncidentSettings(db, project.id),
});

export const updateIncidentManagementSettings = endpoint({
  put: '/projects/:id/incident_management_settings',
  summary: 'Update incident management settings',
  access: inProject('admin_operations'),
  params: {
    create_issue: optional(boolean),
    send_email: optional(boolean),
    auto_close_incident: optional(boolean),
    issue_template_key: optional(shortText),
  },
  rules: [atLeastOne('create_issue', 'send_email', 'auto_close_incident', 'issue_template_key')],
  errors: { invalid: INVALID },
  response: ok(IncidentManagementSettings),
  handle: ({ project, caller, params }, services) => updateIncidentSettings(services, caller, project, params),
});
