import { Type } from 'typebox';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { canSeeGroup, findGroup } from '#domain/namespaces/groups.ts';
import type { NamespaceRow } from '#domain/namespaces/namespaces.ts';
import { type AccessCall, signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity, type ShapeOf } from '#http/endpoint/entity.ts';
import { nullable, ok, page } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { searchExpression } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { NamespaceBasic } from '../projects/index.ts';
import {
  countNamespaceContents,
  findNamespace,
  findOwnedGroupIds,
  findTakenPaths,
  loadNamespacePage,
  type NamespaceCounts,
} from './store.ts';

/** The entities of namespaces (contract/planning.md §1 "Namespace"). */

const NO_COUNTS: NamespaceCounts = { projects: 0, groupMembers: 0, members: 0 };

const Namespace = entity('Namespace', {
  ...NamespaceBasic.schema.properties,
  members_count_with_descendants: Type.Optional(
    Type.Integer({ description: 'Members of the group and of its subgroups; only for groups that the caller owns.' }),
  ),
  projects_count: Type.Integer({ description: 'Projects at any depth that the caller can see.' }),
  root_repository_size: nullable(Type.Integer({ description: 'Always null, because it is not measured.' })),
  billable_members_count: Type.Integer({ description: 'Members of groups and projects at any depth, each user once.' }),
  plan: Type.Literal('default'),
  trial: Type.Boolean(),
  trial_ends_on: Type.Null(),
  shared_runners_minutes_limit: Type.Null(),
  extra_shared_runners_minutes_limit: Type.Null(),
}).from(
  async (rows: readonly NamespaceRow[], { db, caller }) => ({
    counts: await countNamespaceContents(
      db,
      caller,
      rows.map(({ id }) => id),
    ),
    ownedIds: await findOwnedGroupIds(db, caller, rows),
  }),
  (row, context, { counts, ownedIds }) => {
    const { projects, groupMembers, members } = counts.get(row.id) ?? NO_COUNTS;
    return {
      ...NamespaceBasic.serialize(row, context),
      ...(ownedIds.has(row.id) ? { members_count_with_descendants: groupMembers } : {}),
      projects_count: projects,
      root_repository_size: null,
      // A personal namespace always counts its owner.
      billable_members_count: row.kind === 'user' ? Math.max(1, members) : members,
      plan: 'default',
      trial: false,
      trial_ends_on: null,
      shared_runners_minutes_limit: null,
      extra_shared_runners_minutes_limit: null,
    };
  },
);

const NamespaceExistence = entity('NamespaceExistence', {
  exists: Type.Boolean(),
  suggests: Type.Array(Type.String()),
});
type NamespaceExistenceResult = ShapeOf<typeof NamespaceExistence>;

const FREE_PATH: NamespaceExistenceResult = { exists: false, suggests: [] };

/**
 * Returns whether a path is taken in a group or at the top level, and if so the first free path with a number
 * appended. Paths in a parent that the caller cannot see count as free.
 */
async function findNamespaceExistence(
  db: Reader,
  caller: SignedInCaller,
  path: string,
  parentId: number | null | undefined,
): Promise<NamespaceExistenceResult> {
  const prefix = await findParentPrefix(db, caller, parentId);
  if (prefix === null || !(await isTaken(db, prefix + path))) return FREE_PATH;
  for (let firstSuffix = 1; ; firstSuffix += CANDIDATES_PER_QUERY) {
    const candidates = Array.from({ length: CANDIDATES_PER_QUERY }, (_, index) => `${path}${firstSuffix + index}`);
    const takenPaths = await findTakenPaths(
      db,
      candidates.map((candidate) => prefix + candidate),
    );
    const freePath = candidates.find((candidate) => !takenPaths.has(foldCase(prefix + candidate)));
    if (freePath !== undefined) return { exists: true, suggests: [freePath] };
  }
}

/** Number of candidates that one query checks. */
const CANDIDATES_PER_QUERY = 20;

async function isTaken(db: Reader, fullPath: string): Promise<boolean> {
  return (await findTakenPaths(db, [fullPath])).size > 0;
}

/** Returns the parent's path prefix, or null if the caller cannot see the parent. */
async function findParentPrefix(
  db: Reader,
  caller: SignedInCaller,
  parentId: number | null | undefined,
): Promise<string | null> {
  if (parentId == null) return '';
  const parent = await findGroup(db, caller, String(parentId));
  return parent !== null && canSeeGroup(caller, parent) ? `${parent.full_path}/` : null;
}

const namespace = {
  name: 'namespace',
  load: ({ db, path }: AccessCall, { caller }: { readonly caller: SignedInCaller }) =>
    findNamespace(db, caller, path.id ?? ''),
  notFound: () => notFound('Namespace'),
} as const;

export const listNamespaces = endpoint({
  get: '/namespaces',
  summary: 'List namespaces of the caller',
  description:
    'Returns the personal namespace of the caller and the groups that the caller is a member of, ordered by id. ' +
    'Groups count whose parent, subgroup or project has the membership. Administrators get all namespaces.',
  access: signedIn(),
  params: {
    search: optional(searchExpression),
    full_path_search: describe(optional(boolean), 'Searches the full path instead of its last segment.'),
    owned_only: describe(optional(boolean), 'Only the personal namespace and groups that the caller owns.'),
    top_level_only: describe(optional(boolean), 'Only namespaces without a parent.'),
  },
  response: page(Namespace),
  read: (db, { caller, params, page }) => loadNamespacePage(db, caller, params, page),
});

export const getNamespace = endpoint({
  get: '/namespaces/:id',
  summary: 'Get a namespace',
  description:
    'Returns the namespace with this id or full path. The answer is 404 for groups without a membership and for ' +
    'personal namespaces of others, except to administrators.',
  access: signedIn().resource(namespace),
  response: ok(Namespace),
  read: (_db, { namespace }) => namespace,
});

export const getNamespaceExistence = endpoint({
  get: '/namespaces/:path/exists',
  summary: 'Get whether a namespace path exists',
  description:
    'Returns whether a group, project or user has this path in the parent group, or at the top level. A taken path ' +
    'comes with a suggestion: the path with the first free number appended. Paths in a parent that the caller cannot ' +
    'see count as free.',
  access: signedIn(),
  params: { parent_id: describe(optional(integer), 'Id of the group to search; absent: the top level.') },
  response: ok(NamespaceExistence),
  read: (db, { caller, params }) => findNamespaceExistence(db, caller, params.path, params.parent_id),
});
