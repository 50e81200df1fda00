import { resourceModule } from '#http/endpoint/resource-module.ts';
import { clearDeletedUserOfEvents } from '../noteables/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_state_events_by_user */
export const resourceStateEvents = resourceModule({
  endpoints,
  subscriptions: [clearDeletedUserOfEvents('resource_state_events')],
});
