import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { forgetStars } from './on-delete.ts';

// What other families may use of stars.
export { removeSomeStars } from './store.ts';

export const stars = family({ endpoints, subscriptions: [forgetStars] });
