import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { importIteration } from './changes.ts';
// Public interface for other resources.
export { Iteration } from './entities.ts';
export {
  findFirstCadences,
  findIterationByReference,
  findIterationIdForProject,
  findIterationOfCadence,
  hasOpenIteration,
  loadVisibleIterations,
} from './store.ts';

export const iterations = resourceModule({ endpoints });
