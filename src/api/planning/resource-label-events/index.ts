import { resourceModule } from '#http/endpoint/resource-module.ts';
import { clearDeletedUserOfEvents } from '../noteables/index.ts';
import * as endpoints from './endpoints.ts';

/** index: resource_label_events_by_user */
export const resourceLabelEvents = resourceModule({
  endpoints,
  subscriptions: [clearDeletedUserOfEvents('resource_label_events')],
});
