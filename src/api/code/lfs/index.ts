import { resourceModule } from '#http/endpoint/resource-module.ts';
import { cleanUpLfsContent, cleanUpLfsContentSchedule } from './cleanup.ts';
import * as endpoints from './endpoints.ts';

export const lfs = resourceModule({
  endpoints,
  jobs: [cleanUpLfsContent],
  schedules: [cleanUpLfsContentSchedule],
});
