import { Type } from 'typebox';
import { errorReportsLockKey } from '#domain/error-tracking.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { atLeastOne, optional } from '#http/parameters/declarations.ts';
import { integerIn } from '#http/parameters/types.ts';
import { type Ingestion, readIngestion, saveIngestion } from './store.ts';

/** How many reports a project takes, and how long it keeps them (contract/monitoring.md §13). */

const IngestionSettings = entity('IngestionSettings', {
  events_per_minute: nullable(Type.Integer()),
  retention_days: Type.Integer(),
});

export const getIngestionSettings = endpoint({
  get: '/projects/:id/error_tracking/ingestion_settings',
  summary: 'Get the ingestion settings of a project',
  access: inProject('admin_operations'),
  response: ok(IngestionSettings),
  read: (db, { project }) => readIngestion(db, project.id),
});

export const updateIngestionSettings = endpoint({
  put: '/projects/:id/error_tracking/ingestion_settings',
  summary: 'Update the ingestion settings of a project',
  access: inProject('admin_operations'),
  params: {
    events_per_minute: optional(integerIn({ min: 1, max: 1_000_000 })),
    retention_days: optional(integerIn({ min: 1, max: 90 })),
  },
  rules: [atLeastOne('events_per_minute', 'retention_days')],
  lock: ({ project }) => errorReportsLockKey(project.id),
  response: ok(IngestionSettings),
  write: (uow, { project, params }) => update(uow, project.id, params),
});

/** Null is as many as come, and no number of days. */
async function update(
  uow: UnitOfWork,
  projectId: number,
  { events_per_minute, retention_days }: Readonly<Partial<Record<keyof Ingestion, number | null | undefined>>>,
): Promise<Ingestion> {
  const before = await readIngestion(uow, projectId);
  const after = {
    events_per_minute: events_per_minute === undefined ? before.events_per_minute : events_per_minute,
    retention_days: retention_days ?? before.retention_days,
  };
  await saveIngestion(uow, projectId, after);
  return after;
}
