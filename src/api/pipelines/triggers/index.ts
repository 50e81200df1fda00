import { resourceModule } from '#http/endpoint/resource-module.ts';
import { cleanUpTriggers, cleanUpTriggersDaily } from './changes.ts';
import * as endpoints from './endpoints.ts';

/** Pipeline trigger tokens. */
export const triggers = resourceModule({
  endpoints,
  jobs: [cleanUpTriggers],
  schedules: [cleanUpTriggersDaily],
});
