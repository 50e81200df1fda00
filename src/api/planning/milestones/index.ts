import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { mergeMilestones } from './merge.ts';

// Public interface for other resources.
export { milestoneResource, READ_MILESTONES } from './access.ts';
export { Milestone } from './entities.ts';
export { mapMilestonesToProject } from './equivalents.ts';
export { importMilestone } from './import.ts';
export { findMilestone, findMilestoneByTitle, loadMilestonesById } from './store.ts';

export const milestones = resourceModule({ endpoints, jobs: [mergeMilestones] });
