import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { sweepManagers, sweepManagersDaily } from './managers/cleanup.ts';
import { endWithProjects } from './projects/on-delete.ts';

// What other families may use of runners.
export { byRunnerToken, inRunner } from './access.ts';
export { Runner, RunnerManager } from './entities.ts';
export { machineParams } from './managers/machine-parameters.ts';
export { contact, findManagers, heardJustNow } from './managers/managers.ts';
export { hasStatus } from './status.ts';
export { tagsOf } from './store.ts';

export const runners = family({
  endpoints,
  jobs: [sweepManagers],
  schedules: [sweepManagersDaily],
  subscriptions: [endWithProjects],
});
