import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject } from './ends.ts';
import { stopStaleEnvironments } from './stale.ts';
import { destroyDueEnvironments, stopDueEnvironments, sweepEveryMinute } from './sweeps.ts';

export { importEnvironment } from './import.ts';
export { mayStop } from './rights.ts';
export { stopEnvironment } from './stop.ts';

export const environments = family({
  endpoints,
  jobs: [stopStaleEnvironments, stopDueEnvironments, destroyDueEnvironments],
  schedules: sweepEveryMinute,
  subscriptions: [endWithProject],
});
