import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import type { ClientKeyRow } from './store.ts';

/** Where an SDK sends reports with this key: the server's address with the key as its user, and the project's id. */
function dsnOf({ public_key, project_id }: ClientKeyRow, url: string): string {
  return `${url.replace('://', `://${public_key}@`)}/errortracking/api/v1/projects/${project_id}`;
}

/** contract/monitoring.md §8. */
export const ClientKey = entity('ErrorTrackingClientKey', {
  id: Type.Integer(),
  active: Type.Boolean(),
  public_key: Type.String(),
  sentry_dsn: Type.String(),
}).from((key: ClientKeyRow, to) => ({
  id: key.id,
  active: key.active,
  public_key: key.public_key,
  sentry_dsn: dsnOf(key, to.url),
}));
