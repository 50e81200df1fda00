import { resourceModule } from '#http/endpoint/resource-module.ts';
import { destroyDetachedGroup } from './deletion/destroy-in-request.ts';
import { destroyMarkedGroups, destroyMarkedGroupsDaily } from './deletion/destroy-marked.ts';
import * as endpoints from './endpoints.ts';

export { importGroup } from './changes.ts';
// Exports for other modules.
export { destroyGroupInBatches } from './deletion/destroy.ts';
export { GroupDetail } from './entities.ts';

export const groups = resourceModule({
  endpoints,
  jobs: [destroyMarkedGroups, destroyDetachedGroup],
  schedules: [destroyMarkedGroupsDaily],
});
