import { resourceModule } from '#http/endpoint/resource-module.ts';
import { cleanupSchedules, deleteDueEnvironments, stopDueEnvironments, stopStaleEnvironments } from './cleanup.ts';
import * as endpoints from './endpoints.ts';

export { mayStopEnvironment } from './access.ts';
export { importEnvironment, stopEnvironment } from './changes.ts';

export const environments = resourceModule({
  endpoints,
  jobs: [stopStaleEnvironments, stopDueEnvironments, deleteDueEnvironments],
  schedules: cleanupSchedules,
});
