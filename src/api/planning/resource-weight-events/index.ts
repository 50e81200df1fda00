import { family } from '../../../http/endpoint/family.ts';
import { stepsOutliveUsers } from '../things/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_weight_events_by_user */
export const resourceWeightEvents = family({
  endpoints,
  subscriptions: [stepsOutliveUsers('resource_weight_events')],
});
