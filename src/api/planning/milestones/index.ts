import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { mergeMilestones } from './merge.ts';

// What other families may use of milestones.
export { ownMilestone, SEEING as SEEING_MILESTONES } from './access.ts';
export { Milestone } from './entities.ts';
export { importMilestone } from './import.ts';
export { milestonesLike } from './like.ts';
export { findMilestone, findMilestoneTitled, milestonesById } from './store.ts';

export const milestones = family({ endpoints, jobs: [mergeMilestones] });
