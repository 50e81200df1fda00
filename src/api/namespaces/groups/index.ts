import { resourceModule } from '#http/endpoint/resource-module.ts';
import { destroyDetachedGroup, destroyMarkedGroups, destroyMarkedGroupsDaily } from './destroy.ts';
import * as endpoints from './endpoints.ts';

export { importGroup } from './changes.ts';
// Exports for other modules.
export { destroyGroupInBatches } from './destroy.ts';
export { GroupDetail } from './entities.ts';

export const groups = resourceModule({
  endpoints,
  jobs: [destroyMarkedGroups, destroyDetachedGroup],
  schedules: [destroyMarkedGroupsDaily],
});
