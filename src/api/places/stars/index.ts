import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { forgetStars } from './forget.ts';

// What other families may use of stars.
export { removeSomeStars } from './store.ts';

export const stars = family({ endpoints, subscriptions: [forgetStars] });
