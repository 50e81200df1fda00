import { family } from '#http/endpoint/resource-module.ts';
import { awardsOutliveUsers } from '../awards/index.ts';
import * as endpoints from './endpoints.ts';

export const awardEmoji = family({ endpoints, subscriptions: [awardsOutliveUsers] });
