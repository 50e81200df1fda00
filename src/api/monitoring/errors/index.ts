import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject } from './on-delete.ts';
import { removeExpired, removeExpiredDaily } from './retention.ts';

export const errors = resourceModule({
  endpoints,
  jobs: [removeExpired],
  schedules: [removeExpiredDaily],
  subscriptions: [endWithProject],
});

// What an event says of its exceptions is read alike when it comes and when it is shown.
export { framesOf, usedException } from './stack-trace.ts';
