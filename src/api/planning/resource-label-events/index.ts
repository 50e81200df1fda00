import { family } from '../../../http/endpoint/family.ts';
import { stepsOutliveUsers } from '../things/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_label_events_by_user */
export const resourceLabelEvents = family({ endpoints, subscriptions: [stepsOutliveUsers('resource_label_events')] });
