import type { Selectable } from 'kysely';
import { Type } from 'typebox';
import type { Reader, Transaction } from '#database/database.ts';
import type { Schema } from '#database/schema.ts';
import { buildErrorReportsLockKey, DEFAULT_INGESTION } from '#domain/error-tracking.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { atLeastOne, describe, optional } from '#http/parameters/declarations.ts';
import { integerIn } from '#http/parameters/types.ts';

type IngestionSettingsRow = Pick<Selectable<Schema['ingestion_settings']>, 'events_per_minute' | 'retention_days'>;

const COLUMNS = ['events_per_minute', 'retention_days'] as const;

/** Returns the settings of a project, or the defaults if none are saved. index: ingestion_settings primary key */
async function loadIngestionSettings(db: Reader, projectId: number): Promise<IngestionSettingsRow> {
  const query = db.selectFrom('ingestion_settings').select(COLUMNS).where('project_id', '=', projectId);
  return (await query.executeTakeFirst()) ?? DEFAULT_INGESTION;
}

/**
 * Saves the settings and resets the counter of the current minute.
 * index: ingestion_settings primary key, ingestion_windows primary key
 */
async function saveIngestionSettings(
  tx: Transaction,
  projectId: number,
  settings: IngestionSettingsRow,
): Promise<void> {
  const row = { ...settings, updated_at: tx.now };
  await tx
    .insertInto('ingestion_settings')
    .values({ project_id: projectId, created_at: tx.now, ...row })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
    .execute();
  await tx.deleteFrom('ingestion_windows').where('project_id', '=', projectId).execute();
}

// Rate limit and retention period of a project's error reports (contract/monitoring.md §13).

const IngestionSettings = entity('IngestionSettings', {
  events_per_minute: nullable(Type.Integer({ description: 'Null means no limit.' })),
  retention_days: Type.Integer({ description: 'The number of days after which events are deleted.' }),
});

export const getIngestionSettings = endpoint({
  get: '/projects/:id/error_tracking/ingestion_settings',
  summary: 'Get the ingestion settings of a project',
  description:
    'Returns the rate limit and the retention period of error reports, or their defaults if none were saved. Null in `events_per_minute` means no limit.',
  access: inProject('admin_operations'),
  response: ok(IngestionSettings),
  read: (db, { project }) => loadIngestionSettings(db, project.id),
});

export const updateIngestionSettings = endpoint({
  put: '/projects/:id/error_tracking/ingestion_settings',
  summary: 'Update the ingestion settings of a project',
  description:
    'Changes the settings that the request contains, and starts a new minute of the rate limit. A daily job deletes events older than the retention period.',
  access: inProject('admin_operations'),
  params: {
    events_per_minute: describe(
      optional(integerIn({ min: 1, max: 1_000_000 })),
      'The maximum number of error events that are stored per minute; null removes the limit.',
    ),
    retention_days: describe(
      optional(integerIn({ min: 1, max: 90 })),
      'The number of days after which events are deleted.',
    ),
  },
  rules: [atLeastOne('events_per_minute', 'retention_days')],
  lock: ({ project }) => buildErrorReportsLockKey(project.id),
  response: ok(IngestionSettings),
  write: (uow, { project, params }) => updateSettings(uow, project.id, params),
});

/** Keeps omitted values. A null for `events_per_minute` removes the limit; a null for `retention_days` changes nothing. */
async function updateSettings(
  uow: UnitOfWork,
  projectId: number,
  {
    events_per_minute,
    retention_days,
  }: Readonly<Partial<Record<keyof IngestionSettingsRow, number | null | undefined>>>,
): Promise<IngestionSettingsRow> {
  const before = await loadIngestionSettings(uow, projectId);
  const after = {
    events_per_minute: events_per_minute === undefined ? before.events_per_minute : events_per_minute,
    retention_days: retention_days ?? before.retention_days,
  };
  await saveIngestionSettings(uow, projectId, after);
  return after;
}
