import type { Group } from '#domain/namespaces/groups.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { forbidOnFreeTier } from '#http/access/tiers.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findIteration } from './store.ts';

// Access to iterations, and the loading of the iteration of a path (contract/planning.md §2.4, §3.10).

/** Returns the access to the iterations of a project; fails with 403 in a personal namespace, which has none. */
export const readProjectIterationsAccess = () =>
  inProjectAllowingAnonymous('read_iteration')
    .require(forbidOnFreeTier)
    .require((_call, { project }) => {
      if (project.namespace_kind === 'user') throw forbidden();
    });

interface GroupContext {
  readonly group: Group;
}

type IterationCall = AccessCall<{ readonly iteration_id: number }>;

const iterationResource = {
  name: 'iteration',
  params: { iteration_id: required(integer) },
  notFound: genericNotFound,
} as const;

/** Loads the iteration of the path from the group itself. */
export const ownIteration = {
  ...iterationResource,
  load: ({ db, params }: IterationCall, { group }: GroupContext) => findIteration(db, [group.id], params.iteration_id),
} as const;

/** Loads the iteration of the path from the group or an ancestor. */
export const iterationInScope = {
  ...iterationResource,
  load: async ({ db, params }: IterationCall, { group }: GroupContext) =>
    findIteration(db, (await ancestorsAndSelf(db, { group })).groupIds, params.iteration_id),
} as const;
