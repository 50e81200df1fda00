import type { SignedInCaller } from '#authentication/caller.ts';
import { type AccessCall, signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
import { expression } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { Namespace, NamespaceExistence } from './entities.ts';
import { existence } from './exists.ts';
import { findNamespace, pageOfNamespaces } from './store.ts';

const namespace = {
  name: 'namespace',
  load: ({ db, path }: AccessCall, { caller }: { readonly caller: SignedInCaller }) =>
    findNamespace(db, caller, path.id ?? ''),
  notFound: () => notFound('Namespace'),
} as const;

export const listNamespaces = endpoint({
  get: '/namespaces',
  summary: "List the caller's own namespace and groups",
  access: signedIn(),
  params: {
    search: optional(expression),
    full_path_search: optional(boolean),
    owned_only: optional(boolean),
    top_level_only: optional(boolean),
  },
  response: page(Namespace),
  read: (db, { caller, params, page }) => pageOfNamespaces(db, caller, params, page),
});

export const readNamespace = endpoint({
  get: '/namespaces/:id',
  summary: 'One namespace',
  access: signedIn().resource(namespace),
  response: ok(Namespace),
  read: (_db, { namespace }) => namespace,
});

export const readNamespaceExistence = endpoint({
  get: '/namespaces/:path/exists',
  summary: 'Whether a path is taken, and free ones like it',
  access: signedIn(),
  params: { parent_id: optional(integer) },
  response: ok(NamespaceExistence),
  read: (db, { caller, params }) => existence(db, caller, params.path, params.parent_id),
});
