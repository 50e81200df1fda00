import { Type } from 'typebox';
import type { NamespaceRow } from '#domain/namespaces/namespaces.ts';
import { entity, type ShapeOf } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { NamespaceBasic } from '../projects/index.ts';
import { countNamespaceContents, findOwnedGroupIds, type NamespaceCounts } from './store.ts';

/** The entities of namespaces (contract/planning.md §1 "Namespace"). */

const NO_COUNTS: NamespaceCounts = { projects: 0, groupMembers: 0, members: 0 };

export const Namespace = entity('Namespace', {
  ...NamespaceBasic.schema.properties,
  /** Only for groups that the caller owns. */
  members_count_with_descendants: Type.Optional(Type.Integer()),
  projects_count: Type.Integer(),
  /** Always null, because it is not measured. */
  root_repository_size: nullable(Type.Integer()),
  billable_members_count: Type.Integer(),
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

export const NamespaceExistence = entity('NamespaceExistence', {
  exists: Type.Boolean(),
  suggests: Type.Array(Type.String()),
});
export type NamespaceExistenceResult = ShapeOf<typeof NamespaceExistence>;
