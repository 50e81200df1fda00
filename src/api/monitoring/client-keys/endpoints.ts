import type { Project } from '#domain/namespaces/projects.ts';
import { parseIdOrPath } from '#domain/namespaces/routes.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';
import { fail } from '#runtime/failure.ts';
import { ClientKey } from './entities.ts';
import { deleteKey, findKey, insertKey, listKeys } from './store.ts';

/** The keys with which senders report errors to a project (contract/monitoring.md §8). */

/** The key that the path names: what is no number names none. */
const key = {
  name: 'key',
  load: ({ db, path }: AccessCall, { project }: { readonly project: Project }) => {
    const named = parseIdOrPath(path.key_id ?? '');
    return named !== null && 'id' in named ? findKey(db, project.id, named.id) : null;
  },
  notFound: nestedNotFound,
} as const;

export const listClientKeys = endpoint({
  get: '/projects/:id/error_tracking/client_keys',
  summary: 'List the client keys of a project',
  access: inProject('admin_operations'),
  response: page(ClientKey),
  read: (db, { project, page }) => listKeys(db, project.id, page),
});

export const createClientKey = endpoint({
  post: '/projects/:id/error_tracking/client_keys',
  summary: 'Create a client key',
  access: inProject('admin_operations'),
  // Whatever comes along, it is not looked at.
  body: 'raw',
  response: created(ClientKey),
  write: (uow, { project }) => insertKey(uow, project.id),
});

export const deleteClientKey = endpoint({
  delete: '/projects/:id/error_tracking/client_keys/:key_id',
  summary: 'Delete a client key',
  access: inProject('admin_operations').resource(key),
  errors: { gone: NOT_FOUND },
  response: ok(ClientKey),
  write: async (uow, { key }) => (await deleteKey(uow, key.id)) ?? fail('gone'),
});
