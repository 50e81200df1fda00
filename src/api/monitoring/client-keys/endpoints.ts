import { Type } from 'typebox';
import type { Project } from '#domain/namespaces/projects.ts';
import { parseIdOrPath } from '#domain/namespaces/routes.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { fail } from '#runtime/failure.ts';
import { type ClientKeyRow, deleteKey, findKey, insertKey, listKeys } from './store.ts';

/** Builds the DSN of a key: the server's URL with the key as its user, followed by the project's id. */
function buildDsn({ public_key, project_id }: ClientKeyRow, url: string): string {
  return `${url.replace('://', `://${public_key}@`)}/errortracking/api/v1/projects/${project_id}`;
}

/** A client key with its DSN (contract/monitoring.md §8). */
const ClientKey = entity('ErrorTrackingClientKey', {
  id: Type.Integer(),
  active: Type.Boolean(),
  public_key: Type.String(),
  sentry_dsn: Type.String(),
})
  .columns('id', 'active', 'public_key')
  .from((key: ClientKeyRow, context) => ({ sentry_dsn: buildDsn(key, context.url) }));

// Client keys, which SDKs use to report errors to a project (contract/monitoring.md §8).

/** Loads the key with the id in the path. A `key_id` that is not a number matches no key. */
const keyResource = {
  name: 'key',
  load: ({ db, path }: AccessCall, { project }: { readonly project: Project }) => {
    const idOrPath = parseIdOrPath(path.key_id ?? '');
    return idOrPath !== null && 'id' in idOrPath ? findKey(db, project.id, idOrPath.id) : null;
  },
  notFound: genericNotFound,
} as const;

export const listClientKeys = endpoint({
  get: '/projects/:id/error_tracking/client_keys',
  summary: 'List the client keys of a project',
  description: 'Returns the keys ordered by id, each with the DSN that SDKs are configured with.',
  access: inProject('admin_operations'),
  response: page(ClientKey),
  read: (db, { project, page }) => listKeys(db, project.id, page),
});

export const createClientKey = endpoint({
  post: '/projects/:id/error_tracking/client_keys',
  summary: 'Create a client key',
  description:
    'Each call creates another key; a project can have any number. The key works immediately, without further settings. The request has no parameters.',
  access: inProject('admin_operations'),
  // The body is ignored.
  body: 'raw',
  response: created(ClientKey),
  write: (uow, { project }) => insertKey(uow, project.id),
});

export const deleteClientKey = endpoint({
  delete: '/projects/:id/error_tracking/client_keys/:key_id',
  summary: 'Delete a client key',
  description:
    'Returns the deleted key. Reports that use it are rejected from then on; errors that were reported with it are kept.',
  access: inProject('admin_operations').resource(keyResource),
  errors: { notFound: NOT_FOUND },
  response: ok(ClientKey),
  write: async (uow, { key }) => (await deleteKey(uow, key.id)) ?? fail('notFound'),
});
