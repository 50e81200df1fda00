import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import type { ClientKeyRow } from './store.ts';

/** Builds the DSN of a key: the server's URL with the key as its user, followed by the project's id. */
function buildDsn({ public_key, project_id }: ClientKeyRow, url: string): string {
  return `${url.replace('://', `://${public_key}@`)}/errortracking/api/v1/projects/${project_id}`;
}

/** A client key with its DSN (contract/monitoring.md §8). */
export const ClientKey = entity('ErrorTrackingClientKey', {
  id: Type.Integer(),
  active: Type.Boolean(),
  public_key: Type.String(),
  sentry_dsn: Type.String(),
})
  .columns('id', 'active', 'public_key')
  .from((key: ClientKeyRow, context) => ({ sentry_dsn: buildDsn(key, context.url) }));
