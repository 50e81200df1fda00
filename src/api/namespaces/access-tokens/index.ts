import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { removeGroupBots, removeProjectBots } from './on-delete.ts';

export const accessTokens = family({ endpoints, subscriptions: [removeProjectBots, removeGroupBots] });
