import { family } from '../../../http/endpoint/family.ts';
import { destroyMarkedGroups, destroyMarkedGroupsDaily } from './destroy.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of groups.

export { destroyGroup, destroyGroupBySteps } from './destroy.ts';
export { GroupDetail } from './entities.ts';
export { presentGroup } from './present.ts';

export const groups = family({
  endpoints,
  jobs: [destroyMarkedGroups],
  schedules: [destroyMarkedGroupsDaily],
});
