import type { Group } from '#domain/namespaces/groups.ts';
import { reachOf } from '#domain/namespaces/scope.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inGroup, inPublicGroup } from '#http/access/project-access.ts';
import { refuseOnFree } from '#http/access/tiers.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findCadence } from './store.ts';

/** Who may see and manage iterations and their cadences, and which one a path names (contract/planning.md §3.10). */

export const readingIterations = () => inPublicGroup('read_iteration').require(refuseOnFree);
export const MANAGING_ITERATIONS = 'admin_iteration';
export const managingIterations = () => inGroup(MANAGING_ITERATIONS).require(refuseOnFree);

interface InGroup {
  readonly group: Group;
}

type Named = AccessCall<{ readonly cadence_id: number }>;

const cadence = { name: 'cadence', params: { cadence_id: required(integer) }, notFound: nestedNotFound } as const;

/** Of the group itself. */
export const ownCadence = {
  ...cadence,
  load: ({ db, params }: Named, { group }: InGroup) => findCadence(db, [group.id], params.cadence_id),
} as const;

/** Of the group or of one above it. */
export const cadenceInReach = {
  ...cadence,
  load: async ({ db, params }: Named, { group }: InGroup) =>
    findCadence(db, (await reachOf(db, { group })).groupIds, params.cadence_id),
} as const;
