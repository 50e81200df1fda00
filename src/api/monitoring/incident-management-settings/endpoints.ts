import { Type } from 'typebox';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { atLeastOne, optional } from '#http/parameters/declarations.ts';
import { title } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { settingsOf } from './store.ts';
import { changeSettings } from './update.ts';

/** What a project makes of its alerts (contract/monitoring.md §7). */

const IncidentManagementSettings = entity('IncidentManagementSettings', {
  create_issue: Type.Boolean(),
  send_email: Type.Boolean(),
  auto_close_incident: Type.Boolean(),
  issue_template_key: nullable(Type.String()),
});

export const getIncidentManagementSettings = endpoint({
  get: '/projects/:id/incident_management_settings',
  summary: 'Get what a project makes of its alerts',
  access: inProject('admin_operations'),
  response: ok(IncidentManagementSettings),
  read: (db, { project }) => settingsOf(db, project.id),
});

export const updateIncidentManagementSettings = endpoint({
  put: '/projects/:id/incident_management_settings',
  summary: 'Update what a project makes of its alerts',
  access: inProject('admin_operations'),
  params: {
    create_issue: optional(boolean),
    send_email: optional(boolean),
    auto_close_incident: optional(boolean),
    issue_template_key: optional(title),
  },
  rules: [atLeastOne('create_issue', 'send_email', 'auto_close_incident', 'issue_template_key')],
  errors: { invalid: INVALID },
  response: ok(IncidentManagementSettings),
  handle: ({ project, caller, params }, services) => changeSettings(services, caller, project, params),
});
