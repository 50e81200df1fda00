import { Type } from 'typebox';
import { isErrorTrackingEnabled } from '#domain/error-tracking.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import type { SettingsRow } from './store.ts';

/** Of which projects the feature flag lets it be on. */
async function projectsOn(
  rows: readonly SettingsRow[],
  { db, tier }: SerializationContext,
): Promise<ReadonlySet<number>> {
  const ids = rows.map(({ project_id }) => project_id);
  const on = await Promise.all(ids.map((projectId) => isErrorTrackingEnabled(db, { projectId, tier })));
  return new Set(ids.filter((_, at) => on[at]));
}

/** contract/monitoring.md §9: there is no other backend than Hearth, of which the three would tell that are null. */
export const ErrorTrackingSettings = entity('ErrorTrackingSettings', {
  active: Type.Boolean(),
  project_name: Type.Null(),
  sentry_external_url: Type.Null(),
  api_url: Type.Null(),
  integrated: Type.Boolean(),
}).from(projectsOn, ({ project_id, active, integrated }: SettingsRow, _to, on) => ({
  active,
  project_name: null,
  sentry_external_url: null,
  api_url: null,
  integrated: integrated && on.has(project_id),
}));
