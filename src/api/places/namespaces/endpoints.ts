import { type AccessCall, signedIn } from '../../../http/access/access.ts';
import { entity, page } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { notFound } from '../../../http/endpoint/refusal.ts';
import { optional } from '../../../http/parameters/declarations.ts';
import { boolean, integer, text } from '../../../http/parameters/types.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { Namespace, NamespaceExistence } from './entities.ts';
import { existence } from './exists.ts';
import { presentNamespaces } from './present.ts';
import { findNamespace, pageOfNamespaces } from './store.ts';

const namespace = {
  name: 'namespace',
  find: ({ db, path, rooms }: AccessCall, { caller }: { caller: SignedIn }) =>
    findNamespace(db, caller, path.id ?? '', rooms.clock.now().toISOString().slice(0, 10)),
  missing: () => notFound('Namespace'),
} as const;

export const listNamespaces = endpoint({
  get: '/namespaces',
  summary: "List the caller's own namespace and groups",
  access: signedIn(),
  params: { search: optional(text), owned_only: optional(boolean), top_level_only: optional(boolean) },
  answer: page(Namespace),
  async handle({ caller, params, page, db, base }) {
    const found = await pageOfNamespaces(db, caller, params, { page, today: base.now.slice(0, 10) });
    return { ...found, items: await presentNamespaces({ db, caller, base }, found.items) };
  },
});

export const readNamespace = endpoint({
  get: '/namespaces/:id',
  summary: 'One namespace',
  access: signedIn().record(namespace),
  answer: entity(Namespace),
  handle: async ({ namespace: row, caller, db, base }) =>
    (await presentNamespaces({ db, caller, base }, [row]))[0] as Namespace,
});

export const readNamespaceExistence = endpoint({
  get: '/namespaces/:path/exists',
  summary: 'Whether a path is taken, and free ones like it',
  access: signedIn(),
  params: { parent_id: optional(integer) },
  answer: entity(NamespaceExistence),
  handle: ({ caller, params, db, base }) =>
    existence(db, caller, { path: params.path, parentId: params.parent_id, today: base.now.slice(0, 10) }),
});
