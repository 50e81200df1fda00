import { type Static, Type } from 'typebox';
import { nullable, shape } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import type { UserBasicRow } from '../../identity/users/index.ts';
import { NamespaceBasic, type NamespaceRow, namespaceBasic } from '../projects/index.ts';

/** The wire shapes of namespaces (contract/planning.md §1 "Namespace"). */

export const Namespace = shape('Namespace', {
  ...NamespaceBasic.schema.properties,
  /** Of groups that the caller owns. */
  members_count_with_descendants: Type.Optional(Type.Integer()),
  projects_count: Type.Integer(),
  /** null: not measured. */
  root_repository_size: nullable(Type.Integer()),
  billable_members_count: Type.Integer(),
  plan: Type.Literal('default'),
  trial: Type.Boolean(),
  trial_ends_on: Type.Null(),
  shared_runners_minutes_limit: Type.Null(),
  extra_shared_runners_minutes_limit: Type.Null(),
});
export type Namespace = Static<typeof Namespace>;

export const NamespaceExistence = shape('NamespaceExistence', {
  exists: Type.Boolean(),
  suggests: Type.Array(Type.String()),
});

/** What is counted for a namespace and all below it. */
export interface Counts {
  readonly projects: number;
  /** Users with a live membership in a group, and in a group or project. */
  readonly groupMembers: number;
  readonly members: number;
}

export interface Showing {
  readonly base: Base;
  readonly owners: ReadonlyMap<number, UserBasicRow>;
  readonly counts: ReadonlyMap<number, Counts>;
  /** Groups that the caller owns. */
  readonly owned: ReadonlySet<number>;
}

const NONE: Counts = { projects: 0, groupMembers: 0, members: 0 };

export function namespaces(rows: readonly NamespaceRow[], showing: Showing): Namespace[] {
  return rows.map((row) => {
    const counts = showing.counts.get(row.id) ?? NONE;
    return {
      ...namespaceBasic(row, showing.base),
      ...(showing.owned.has(row.id) ? { members_count_with_descendants: counts.groupMembers } : {}),
      projects_count: counts.projects,
      root_repository_size: null,
      // A personal namespace is its owner's, whatever is in it.
      billable_members_count: row.kind === 'user' ? Math.max(1, counts.members) : counts.members,
      plan: 'default',
      trial: false,
      trial_ends_on: null,
      shared_runners_minutes_limit: null,
      extra_shared_runners_minutes_limit: null,
    };
  });
}
