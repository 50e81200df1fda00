import { family } from '#http/endpoint/resource-module.ts';
import { stepsOutliveUsers } from '../noteables/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_state_events_by_user */
export const resourceStateEvents = family({ endpoints, subscriptions: [stepsOutliveUsers('resource_state_events')] });
