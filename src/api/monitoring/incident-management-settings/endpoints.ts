import { Type } from 'typebox';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { atLeastOne, describe, type NullablePartial, optional } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { getIncidentSettings, type IncidentSettings, readIssueTemplate, saveIncidentSettings } from './store.ts';

// Endpoints for a project's incident management settings (contract/monitoring.md §7).

const IncidentManagementSettings = entity('IncidentManagementSettings', {
  create_issue: Type.Boolean(),
  send_email: Type.Boolean(),
  auto_close_incident: Type.Boolean(),
  issue_template_key: nullable(Type.String()),
});

export const getIncidentManagementSettings = endpoint({
  get: '/projects/:id/incident_management_settings',
  summary: 'Get incident management settings',
  description:
    'Returns the defaults if no settings were saved: no incidents and no e-mails are created, and incidents of resolved alerts are closed.',
  access: inProject('admin_operations'),
  response: ok(IncidentManagementSettings),
  read: (db, { project }) => getIncidentSettings(db, project.id),
});

export const updateIncidentManagementSettings = endpoint({
  put: '/projects/:id/incident_management_settings',
  summary: 'Update incident management settings',
  description:
    'Changes the settings that the request contains. With `create_issue`, unresolved alerts without an incident get one in the background when a payload arrives. The selected issue template must then exist on the default branch. A null or empty `issue_template_key` clears the template.',
  access: inProject('admin_operations'),
  params: {
    create_issue: describe(optional(boolean), 'Whether alerts create incidents.'),
    send_email: describe(
      optional(boolean),
      'Whether owners and maintainers get an e-mail when an alert is triggered or resolved.',
    ),
    auto_close_incident: describe(optional(boolean), 'Whether a payload that resolves an alert closes its incident.'),
    issue_template_key: describe(
      optional(shortText),
      'The name of a file in `.gitlab/issue_templates`, without `.md`, whose text is appended to incidents.',
    ),
  },
  rules: [atLeastOne('create_issue', 'send_email', 'auto_close_incident', 'issue_template_key')],
  errors: { invalid: INVALID },
  response: ok(IncidentManagementSettings),
  handle: ({ project, caller, params }, services) => updateIncidentSettings(services, caller, project, params),
});

/** Settings to update; missing ones keep their values. */
type UpdateIncidentSettingsInput = NullablePartial<IncidentSettings>;

/** Updates the settings. If incidents are enabled, the selected template must exist. */
async function updateIncidentSettings(
  { runUnitOfWork, database, git }: Pick<Services, 'runUnitOfWork' | 'database' | 'git'>,
  caller: SignedInCaller,
  project: Project,
  input: UpdateIncidentSettingsInput,
): Promise<IncidentSettings | Failure<'invalid'>> {
  // A template that is deleted after this check is omitted from incidents.
  const { create_issue, issue_template_key: key } = mergeSettings(
    await getIncidentSettings(database.reader, project.id),
    input,
  );
  if (create_issue && key !== null && (await readIssueTemplate(git, project, key)) === null) {
    return invalid({ issue_template_key: ['not found'] });
  }
  return runUnitOfWork(caller, async (uow) => {
    const newSettings = mergeSettings(await getIncidentSettings(uow, project.id), input);
    await saveIncidentSettings(uow, project.id, newSettings);
    return newSettings;
  });
}

/** Merges the settings; an empty template key becomes null. */
function mergeSettings(
  currentSettings: IncidentSettings,
  { issue_template_key: key, ...flags }: UpdateIncidentSettingsInput,
): IncidentSettings {
  return {
    create_issue: flags.create_issue ?? currentSettings.create_issue,
    send_email: flags.send_email ?? currentSettings.send_email,
    auto_close_incident: flags.auto_close_incident ?? currentSettings.auto_close_incident,
    issue_template_key: key === undefined ? currentSettings.issue_template_key : key || null,
  };
}
