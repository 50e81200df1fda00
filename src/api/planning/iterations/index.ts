import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of iterations.
export { Iteration } from './entities.ts';
export { importIteration } from './import.ts';
export { iterationInReach } from './scope.ts';
export { iterationsSeenBy } from './store.ts';

export const iterations = family({ endpoints });
