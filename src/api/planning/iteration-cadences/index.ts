import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { rollOver } from './roll-over.ts';
import { scheduleIterations, scheduleIterationsDaily } from './schedule.ts';

// What other families may use of cadences.
export { MANAGING_ITERATIONS, managingIterations, readingIterations } from './access.ts';
export { giveIteration } from './assign-iteration.ts';
export { createManualCadence, importedCadence } from './create.ts';
export { type IterationPast, insertIteration, iterationsTurn } from './iteration-rows.ts';
export { iterationsAreThere, schedule } from './schedule.ts';
export { type CadenceRow, findCadence, firstManualCadence, readCadence } from './store.ts';

export const iterationCadences = family({
  endpoints,
  jobs: [scheduleIterations, rollOver],
  schedules: [scheduleIterationsDaily],
});
