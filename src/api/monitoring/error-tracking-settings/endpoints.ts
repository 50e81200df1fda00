import { isErrorTrackingEnabled } from '#domain/error-tracking.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { boolean, notBlank } from '#http/parameters/types.ts';
import { ErrorTrackingSettings } from './entities.ts';
import { findSettings } from './store.ts';
import { updateSettings } from './update.ts';

/** Settings that determine whether a project accepts error reports (contract/monitoring.md §9). */

/** Loads the saved settings of the project. */
const settingsResource = {
  name: 'settings',
  load: ({ db }: AccessCall, { project }: { readonly project: Project }) => findSettings(db, project.id),
  notFound: () => notFound('Error Tracking Setting'),
} as const;

/** Access to the settings of a project; 404 if the feature flag is off for it. */
const enabledProjectAccess = inProject('admin_operations').require(async ({ db, services }, { project }) => {
  const isEnabled = await isErrorTrackingEnabled(db, { projectId: project.id, tier: services.config.tier });
  if (!isEnabled) throw notFound();
});

const backendErrors = {
  externalBackendUnsupported: [400, 'Error tracking setting api url is a required field'],
} as const;

/** Returns the lock key that serializes updates, so that concurrent ones create a single client key. */
const settingsLockKey = ({ id }: Pick<Project, 'id'>) => `error tracking settings ${id}`;

export const getErrorTrackingSettings = endpoint({
  get: '/projects/:id/error_tracking/settings',
  summary: 'Get the error tracking settings of a project',
  access: inProject('admin_operations').resource(settingsResource),
  response: ok(ErrorTrackingSettings),
  read: (_db, { settings }) => settings,
});

export const updateErrorTrackingSettings = endpoint({
  patch: '/projects/:id/error_tracking/settings',
  summary: 'Update the error tracking settings of a project',
  access: inProject('admin_operations').resource(settingsResource),
  params: { active: required(notBlank(boolean)), integrated: optional(boolean) },
  lock: ({ project }) => settingsLockKey(project),
  errors: backendErrors,
  response: ok(ErrorTrackingSettings),
  write: (uow, { settings, params: { active, integrated } }) =>
    updateSettings(uow, { ...settings, active, integrated: integrated ?? settings.integrated }),
});

export const setErrorTrackingSettings = endpoint({
  put: '/projects/:id/error_tracking/settings',
  summary: 'Create or update the error tracking settings',
  access: enabledProjectAccess,
  params: { active: required(notBlank(boolean)), integrated: required(boolean) },
  lock: ({ project }) => settingsLockKey(project),
  errors: backendErrors,
  response: ok(ErrorTrackingSettings),
  write: (uow, { project, params: { active, integrated } }) =>
    updateSettings(uow, { project_id: project.id, active, integrated }),
});
