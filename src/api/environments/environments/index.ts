import { resourceModule } from '#http/endpoint/resource-module.ts';
import { cleanupSchedules, deleteDueEnvironments, stopDueEnvironments } from './cleanup.ts';
import * as endpoints from './endpoints.ts';
import { stopStaleEnvironments } from './stopping/stop-stale.ts';

export { importEnvironment } from './changes.ts';
export { mayStopEnvironment } from './permissions.ts';
export { stopEnvironment } from './stopping/stop.ts';

export const environments = resourceModule({
  endpoints,
  jobs: [stopStaleEnvironments, stopDueEnvironments, deleteDueEnvironments],
  schedules: cleanupSchedules,
});
