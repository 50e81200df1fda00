import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { forgetLeavers } from './forget-leavers.ts';

export const protectedEnvironments = family({ endpoints, subscriptions: [forgetLeavers] });
