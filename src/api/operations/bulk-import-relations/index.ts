import { environments } from './environments.ts';
import { epics } from './epics.ts';
import { group, project } from './groups-and-projects.ts';
import { issues } from './issues.ts';
import { mergeRequests } from './merge-requests.ts';
import { iterations, labels, milestones } from './planning.ts';
import { protectedBranches } from './protected-branches.ts';
import type { DestinationCreation, Relation } from './relation.ts';
import { members } from './users.ts';

// The exports for other modules.
export {
  type ChildRelation,
  type DestinationCreation,
  declareRelation,
  type ImportTarget,
  type Relation,
  type SourceGroupOrProject,
  type SourceObjectRef,
  type SourceUser,
  type StoreElementResult,
  type UserMapping,
} from './relation.ts';
export { findLocalUserId, parseSourceProfile } from './users.ts';

/**
 * The creation of a group or a project is the first relation of its entity. The engine adds `repository` after `project`, and
 * `project_entities` and `subgroups` at the end of a group.
 */
export const DESTINATION_CREATIONS: { readonly group: DestinationCreation; readonly project: DestinationCreation } = {
  group,
  project,
};

/** The relations of a group, in their order. */
export const GROUP_RELATIONS: readonly Relation[] = [members, labels, milestones, iterations, epics];

/** The relations of a project, in their order. */
export const PROJECT_RELATIONS: readonly Relation[] = [
  members,
  labels,
  milestones,
  issues,
  mergeRequests,
  protectedBranches,
  environments,
];
