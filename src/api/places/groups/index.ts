import { family } from '../../../http/endpoint/family.ts';
import { destroyMarkedGroups, destroyMarkedGroupsDaily } from './destroy-marked.ts';
import * as endpoints from './endpoints.ts';
import { destroyPutAway } from './put-away.ts';

// What other families may use of groups.
export { destroyGroupBySteps } from './destroy.ts';
export { GroupDetail } from './entities.ts';
export { importGroup } from './import.ts';

export const groups = family({
  endpoints,
  jobs: [destroyMarkedGroups, destroyPutAway],
  schedules: [destroyMarkedGroupsDaily],
});
