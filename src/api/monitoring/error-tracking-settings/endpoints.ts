import type { Selectable } from 'kysely';
import { Type } from 'typebox';
import type { Reader, Transaction } from '#database/database.ts';
import type { Schema } from '#database/schema.ts';
import { isErrorTrackingEnabled } from '#domain/error-tracking.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { ok } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { boolean, notBlank } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ensureActiveKey } from '../client-keys/index.ts';

type SettingsRow = Pick<Selectable<Schema['error_tracking_settings']>, 'project_id' | 'active' | 'integrated'>;

const COLUMNS = ['project_id', 'active', 'integrated'] as const;

/** Returns the settings of a project, or null if they were never saved. index: error_tracking_settings primary key */
async function findSettings(db: Reader, projectId: number): Promise<SettingsRow | null> {
  const query = db.selectFrom('error_tracking_settings').select(COLUMNS).where('project_id', '=', projectId);
  return (await query.executeTakeFirst()) ?? null;
}

/** Creates or updates the settings of a project. index: error_tracking_settings primary key */
async function saveSettings(tx: Transaction, { project_id, active, integrated }: SettingsRow): Promise<SettingsRow> {
  const row = { active, integrated, updated_at: tx.now };
  return tx
    .insertInto('error_tracking_settings')
    .values({ project_id, created_at: tx.now, ...row })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Returns the projects for which the feature flag is on. */
async function loadEnabledProjectIds(
  rows: readonly SettingsRow[],
  { db, tier }: SerializationContext,
): Promise<ReadonlySet<number>> {
  const ids = rows.map(({ project_id }) => project_id);
  const isEnabled = await Promise.all(ids.map((projectId) => isErrorTrackingEnabled(db, { projectId, tier })));
  return new Set(ids.filter((_, index) => isEnabled[index]));
}

/** The null fields describe an external backend, which Hearth does not support (contract/monitoring.md §9). */
const ErrorTrackingSettings = entity('ErrorTrackingSettings', {
  active: Type.Boolean(),
  project_name: Type.Null(),
  sentry_external_url: Type.Null(),
  api_url: Type.Null(),
  integrated: Type.Boolean(),
}).from(loadEnabledProjectIds, ({ project_id, active, integrated }: SettingsRow, _context, enabledProjectIds) => ({
  active,
  project_name: null,
  sentry_external_url: null,
  api_url: null,
  integrated: integrated && enabledProjectIds.has(project_id),
}));

// Settings that determine whether a project accepts error reports (contract/monitoring.md §9).

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
  description:
    'The response is 404 until the settings are saved for the first time; reports are accepted until then. Fields of an external backend are always null, because only the integrated one is supported.',
  access: inProject('admin_operations').resource(settingsResource),
  response: ok(ErrorTrackingSettings),
  read: (_db, { settings }) => settings,
});

export const updateErrorTrackingSettings = endpoint({
  patch: '/projects/:id/error_tracking/settings',
  summary: 'Update the error tracking settings of a project',
  description:
    'Changes saved settings; the response is 404 if there are none. Active settings require `integrated`. Activation creates a client key if the project has no active one. Inactive settings reject all reports.',
  access: inProject('admin_operations').resource(settingsResource),
  params: {
    active: describe(required(notBlank(boolean)), 'Whether reports are accepted.'),
    integrated: describe(optional(boolean), 'Whether this server stores the reports; required for active settings.'),
  },
  lock: ({ project }) => settingsLockKey(project),
  errors: backendErrors,
  response: ok(ErrorTrackingSettings),
  write: (uow, { settings, params: { active, integrated } }) =>
    updateSettings(uow, { ...settings, active, integrated: integrated ?? settings.integrated }),
});

export const setErrorTrackingSettings = endpoint({
  put: '/projects/:id/error_tracking/settings',
  summary: 'Create or update the error tracking settings',
  description:
    'Saves both settings, whether or not they were saved before. Active settings require `integrated`. Activation creates a client key if the project has no active one. The response is 404 if the feature flag `integrated_error_tracking` is off.',
  access: enabledProjectAccess,
  params: {
    active: describe(required(notBlank(boolean)), 'Whether reports are accepted.'),
    integrated: describe(required(boolean), 'Whether this server stores the reports; required for active settings.'),
  },
  lock: ({ project }) => settingsLockKey(project),
  errors: backendErrors,
  response: ok(ErrorTrackingSettings),
  write: (uow, { project, params: { active, integrated } }) =>
    updateSettings(uow, { project_id: project.id, active, integrated }),
});

/**
 * Saves the settings of a project. Active settings require the integrated backend, because Hearth supports no other one.
 * Creates a client key if the project has no active key (contract/monitoring.md §9).
 */
async function updateSettings(
  uow: UnitOfWork,
  settings: SettingsRow,
): Promise<SettingsRow | Failure<'externalBackendUnsupported'>> {
  const { project_id: projectId, active, integrated } = settings;
  const isIntegrated = integrated && (await isErrorTrackingEnabled(uow, { projectId, tier: uow.tier }));
  if (active && !isIntegrated) return fail('externalBackendUnsupported');
  if (active) await ensureActiveKey(uow, projectId);
  return saveSettings(uow, settings);
}
