import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { cleanUpExpiredReports, cleanUpExpiredReportsDaily } from './retention.ts';

export const errors = resourceModule({
  endpoints,
  jobs: [cleanUpExpiredReports],
  schedules: [cleanUpExpiredReportsDaily],
});

// Events are parsed with the same functions when they are received and when they are read.
export { getAttribute, getEventFrames, selectCulpritFrame, selectException } from './stack-trace.ts';
