import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { rollOverIteration, scheduleIterations, scheduleIterationsDaily } from './schedule.ts';

// Public interface for other resources.
export { MANAGE_ITERATIONS, manageIterationsAccess, readIterationsAccess } from './access.ts';
export { createManualCadence, findOrCreateImportCadence } from './changes.ts';
export {
  assignIterationBatch,
  type ImportedIterationState,
  insertIteration,
  iterationsLockKey,
} from './iteration-rows.ts';
export { assertIterationsScheduled, scheduleCadence } from './schedule.ts';
export { type CadenceRow, findCadence, findCadenceById, findFirstManualCadence } from './store.ts';

export const iterationCadences = resourceModule({
  endpoints,
  jobs: [scheduleIterations, rollOverIteration],
  schedules: [scheduleIterationsDaily],
});
