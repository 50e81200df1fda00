import type { Group } from '#domain/namespaces/groups.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { type AccessCall, forbidOnFreeTier } from '#http/access/access.ts';
import { inGroup, inGroupAllowingAnonymous } from '#http/access/project-access.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findCadence } from './store.ts';

// Access to iterations and their cadences, and the loading of the cadence of a path (contract/planning.md §3.10).

/** Access for callers who may read the group's iterations, anonymous ones included; 403 on the free tier. */
export const readIterationsAccess = () => inGroupAllowingAnonymous('read_iteration').require(forbidOnFreeTier);

export const MANAGE_ITERATIONS = 'admin_iteration';

/** Access for members who may manage the group's iterations; 403 on the free tier. */
export const manageIterationsAccess = () => inGroup(MANAGE_ITERATIONS).require(forbidOnFreeTier);

interface GroupContext {
  readonly group: Group;
}

type CadenceCall = AccessCall<{ readonly cadence_id: number }>;

const cadenceResource = {
  name: 'cadence',
  params: { cadence_id: required(integer) },
  notFound: genericNotFound,
} as const;

/** Loads the cadence `:cadence_id` of the group itself. */
export const ownCadence = {
  ...cadenceResource,
  load: ({ db, params }: CadenceCall, { group }: GroupContext) => findCadence(db, [group.id], params.cadence_id),
} as const;

/** Loads the cadence `:cadence_id` of the group or an ancestor. */
export const cadenceInScope = {
  ...cadenceResource,
  load: async ({ db, params }: CadenceCall, { group }: GroupContext) =>
    findCadence(db, (await ancestorsAndSelf(db, { group })).groupIds, params.cadence_id),
} as const;
