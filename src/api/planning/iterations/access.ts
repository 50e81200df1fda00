import type { Group } from '#domain/namespaces/groups.ts';
import { reachOf } from '#domain/namespaces/scope.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inPublicProject } from '#http/access/project-access.ts';
import { refuseOnFree } from '#http/access/tiers.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findIteration } from './store.ts';

/** Whose iterations a caller may read, and which one a path names (contract/planning.md §2.4, §3.10). */

/** In personal namespaces there are none, for nobody. */
export const readingProjectIterations = () =>
  inPublicProject('read_iteration')
    .require(refuseOnFree)
    .require((_call, { project }) => {
      if (project.namespace_kind === 'user') throw forbidden();
    });

interface InGroup {
  readonly group: Group;
}

type Named = AccessCall<{ readonly iteration_id: number }>;

const iteration = { name: 'iteration', params: { iteration_id: required(integer) }, notFound: nestedNotFound } as const;

/** Of the group itself. */
export const ownIteration = {
  ...iteration,
  load: ({ db, params }: Named, { group }: InGroup) => findIteration(db, [group.id], params.iteration_id),
} as const;

/** Of the group or of one above it. */
export const iterationInReach = {
  ...iteration,
  load: async ({ db, params }: Named, { group }: InGroup) =>
    findIteration(db, (await reachOf(db, { group })).groupIds, params.iteration_id),
} as const;
