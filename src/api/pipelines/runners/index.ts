import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { cleanUpRunnerManagers, cleanUpRunnerManagersDaily } from './managers/cleanup.ts';
import { releaseRunnersOfProject } from './projects/on-delete.ts';

// Exports for other modules.
export { runnerAccess, runnerTokenAccess } from './access.ts';
export { Runner, RunnerManager } from './entities.ts';
export { machineParams } from './managers/machine-parameters.ts';
export { findManagersByIds, findUnchangedManagerId, recordContact } from './managers/managers.ts';
export { hasStatus } from './status.ts';
export { listRunnerTags } from './store.ts';

export const runners = resourceModule({
  endpoints,
  jobs: [cleanUpRunnerManagers],
  schedules: [cleanUpRunnerManagersDaily],
  subscriptions: [releaseRunnersOfProject],
});
