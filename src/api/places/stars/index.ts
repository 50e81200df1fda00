import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { forgetStars } from './forget.ts';

export const stars = family({ endpoints, subscriptions: [forgetStars] });
