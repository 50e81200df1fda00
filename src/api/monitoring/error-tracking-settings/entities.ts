import { Type } from 'typebox';
import { isErrorTrackingEnabled } from '#domain/error-tracking.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import type { SettingsRow } from './store.ts';

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
export const ErrorTrackingSettings = entity('ErrorTrackingSettings', {
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
