import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { mergeMilestones } from './merge.ts';

// What other families may use of milestones.
export { ownMilestone, SEEING as SEEING_MILESTONES } from './access.ts';
export { Milestone } from './entities.ts';
export { milestonesLike } from './equivalents.ts';
export { importMilestone } from './import.ts';
export { findMilestone, findMilestoneTitled, milestonesById } from './store.ts';

export const milestones = family({ endpoints, jobs: [mergeMilestones] });
