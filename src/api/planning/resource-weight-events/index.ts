import { family } from '#http/endpoint/resource-module.ts';
import { stepsOutliveUsers } from '../noteables/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_weight_events_by_user */
export const resourceWeightEvents = family({
  endpoints,
  subscriptions: [stepsOutliveUsers('resource_weight_events')],
});
