import { resourceModule } from '#http/endpoint/resource-module.ts';
import { mergeMilestones } from './changes.ts';
import * as endpoints from './endpoints.ts';

// Public interface for other resources.
export { milestoneResource, READ_MILESTONES } from './access.ts';
export { importMilestone } from './changes.ts';
export { Milestone } from './entities.ts';
export { findMilestone, findMilestoneByTitle, loadMilestonesById, mapMilestonesToProject } from './store.ts';

export const milestones = resourceModule({ endpoints, jobs: [mergeMilestones] });
