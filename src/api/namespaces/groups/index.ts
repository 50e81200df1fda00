import { family } from '#http/endpoint/resource-module.ts';
import { destroyPutAway } from './deletion/destroy-in-request.ts';
import { destroyMarkedGroups, destroyMarkedGroupsDaily } from './deletion/destroy-marked.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of groups.
export { destroyGroupBySteps } from './deletion/destroy.ts';
export { GroupDetail } from './entities.ts';
export { importGroup } from './import.ts';

export const groups = family({
  endpoints,
  jobs: [destroyMarkedGroups, destroyPutAway],
  schedules: [destroyMarkedGroupsDaily],
});
