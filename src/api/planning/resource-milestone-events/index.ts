import { family } from '#http/endpoint/resource-module.ts';
import { stepsOutliveUsers } from '../noteables/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_milestone_events_by_user */
export const resourceMilestoneEvents = family({
  endpoints,
  subscriptions: [stepsOutliveUsers('resource_milestone_events')],
});
