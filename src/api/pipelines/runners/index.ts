import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of runners.
export { byRunnerToken, inRunner } from './access.ts';
export { Runner, RunnerManager } from './entities.ts';
export { machineParams } from './machine.ts';
export { contact, findManagers, heardOf } from './managers.ts';
export { hasStatus, isOnline } from './status.ts';
export { tagsOf } from './store.ts';

export const runners = family({ endpoints });
