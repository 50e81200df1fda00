import { family } from '#http/endpoint/resource-module.ts';
import { destroyDueEnvironments, stopDueEnvironments, sweepEveryMinute } from './cleanup.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject } from './on-delete.ts';
import { stopStaleEnvironments } from './stopping/stop-stale.ts';

export { importEnvironment } from './import.ts';
export { mayStop } from './permissions.ts';
export { stopEnvironment } from './stopping/stop.ts';

export const environments = family({
  endpoints,
  jobs: [stopStaleEnvironments, stopDueEnvironments, destroyDueEnvironments],
  schedules: sweepEveryMinute,
  subscriptions: [endWithProject],
});
