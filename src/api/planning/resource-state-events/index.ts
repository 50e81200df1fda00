import { family } from '../../../http/endpoint/family.ts';
import { stepsOutliveUsers } from '../things/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_state_events_by_user */
export const resourceStateEvents = family({ endpoints, subscriptions: [stepsOutliveUsers('resource_state_events')] });
