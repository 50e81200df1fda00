import { resourceModule } from '#http/endpoint/resource-module.ts';
import { clearDeletedUserOfEvents } from '../noteables/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_weight_events_by_user */
export const resourceWeightEvents = resourceModule({
  endpoints,
  subscriptions: [clearDeletedUserOfEvents('resource_weight_events')],
});
