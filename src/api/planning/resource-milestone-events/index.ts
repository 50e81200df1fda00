import { resourceModule } from '#http/endpoint/resource-module.ts';
import { clearDeletedUserOfEvents } from '../noteables/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_milestone_events_by_user */
export const resourceMilestoneEvents = resourceModule({
  endpoints,
  subscriptions: [clearDeletedUserOfEvents('resource_milestone_events')],
});
