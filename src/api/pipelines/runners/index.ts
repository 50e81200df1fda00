import { family } from '../../../http/endpoint/family.ts';
import { endWithProjects } from './end-of-projects.ts';
import * as endpoints from './endpoints.ts';
import { sweepManagers, sweepManagersDaily } from './sweep.ts';

// What other families may use of runners.
export { byRunnerToken, inRunner } from './access.ts';
export { Runner, RunnerManager } from './entities.ts';
export { machineParams } from './machine.ts';
export { contact, findManagers, heardJustNow } from './managers.ts';
export { hasStatus } from './status.ts';
export { tagsOf } from './store.ts';

export const runners = family({
  endpoints,
  jobs: [sweepManagers],
  schedules: [sweepManagersDaily],
  subscriptions: [endWithProjects],
});
