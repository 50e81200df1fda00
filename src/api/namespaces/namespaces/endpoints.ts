import type { SignedInCaller } from '#authentication/caller.ts';
import { type AccessCall, signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
import { searchExpression } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { Namespace, NamespaceExistence } from './entities.ts';
import { findNamespaceExistence } from './exists.ts';
import { findNamespace, loadNamespacePage } from './store.ts';

const namespace = {
  name: 'namespace',
  load: ({ db, path }: AccessCall, { caller }: { readonly caller: SignedInCaller }) =>
    findNamespace(db, caller, path.id ?? ''),
  notFound: () => notFound('Namespace'),
} as const;

export const listNamespaces = endpoint({
  get: '/namespaces',
  summary: 'List namespaces of the caller',
  access: signedIn(),
  params: {
    search: optional(searchExpression),
    full_path_search: optional(boolean),
    owned_only: optional(boolean),
    top_level_only: optional(boolean),
  },
  response: page(Namespace),
  read: (db, { caller, params, page }) => loadNamespacePage(db, caller, params, page),
});

export const getNamespace = endpoint({
  get: '/namespaces/:id',
  summary: 'Get a namespace',
  access: signedIn().resource(namespace),
  response: ok(Namespace),
  read: (_db, { namespace }) => namespace,
});

export const getNamespaceExistence = endpoint({
  get: '/namespaces/:path/exists',
  summary: 'Get whether a namespace path exists',
  access: signedIn(),
  params: { parent_id: optional(integer) },
  response: ok(NamespaceExistence),
  read: (db, { caller, params }) => findNamespaceExistence(db, caller, params.path, params.parent_id),
});
