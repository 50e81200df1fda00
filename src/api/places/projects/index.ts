import { family } from '../../../http/endpoint/family.ts';
import { pointHeadJob } from './default-branch.ts';
import { destroyMarkedDaily, destroyMarkedJob, removeProjectRepository } from './destroy.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of projects.
export { auditProject, visibilityChange } from './audit.ts';
export { destroyProject, destroyProjectIn } from './destroy.ts';
export { EmbeddedProject, NamespaceBasic, namespaceBasic, ShownProject } from './entities.ts';
export { pageOfProjects } from './list.ts';
export { commonFilter, filterParams } from './parameters.ts';
export { projectEntities } from './present.ts';
export type { NamespaceRow } from './relations.ts';
export type { ProjectFilter } from './store.ts';
export { findTarget, groupTarget, type Target } from './target.ts';
export { TRANSFER_REFUSALS, transfer } from './transfer.ts';
export { branchErrors } from './values.ts';

export const projects = family({
  endpoints,
  jobs: [destroyMarkedJob, pointHeadJob],
  schedules: [destroyMarkedDaily],
  subscriptions: [removeProjectRepository],
});
