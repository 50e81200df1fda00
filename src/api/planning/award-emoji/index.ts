import { resourceModule } from '#http/endpoint/resource-module.ts';
import { onAwardUserDeleted } from '../awards/index.ts';
import * as endpoints from './endpoints.ts';

/** Award emoji on issues, merge requests, epics and their notes. */
export const awardEmoji = resourceModule({ endpoints, subscriptions: [onAwardUserDeleted] });
