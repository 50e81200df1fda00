import { family } from '#http/endpoint/resource-module.ts';
import { stepsOutliveUsers } from '../noteables/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_label_events_by_user */
export const resourceLabelEvents = family({ endpoints, subscriptions: [stepsOutliveUsers('resource_label_events')] });
