import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { removeGroupBots, removeProjectBots } from './subscriptions.ts';

export const accessTokens = family({ endpoints, subscriptions: [removeProjectBots, removeGroupBots] });
